// The files that programs write their results to.
#include "flow/steps/output_files.hpp"

#include "support/temporary_directory.hpp"
#include <belay/exceptions.hpp>

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

namespace belay::flow {
namespace {

using ::testing::HasSubstr;

class OutputFiles : public ::testing::Test {
protected:
    [[nodiscard]] std::size_t folders() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(directory.path()),
                          std::filesystem::directory_iterator()));
    }
    support::TemporaryDirectory directory;
};

TEST_F(OutputFiles, AFileIsEmptyAndPrivateAndGoneInTheEnd) {
    std::string path;
    {
        const auto folder = std::make_shared<OutputFolder>(directory.path());
        EXPECT_EQ(folders(), 0U) << "nothing is made before it is needed";
        {
            const OutputFile file(folder);
            path = file.path();
            struct stat about{};
            ASSERT_EQ(::stat(path.c_str(), &about), 0);
            EXPECT_EQ(about.st_mode & 0777U, 0600U);
            EXPECT_EQ(file.read(10), std::nullopt);
            std::ofstream(path) << "{}";
            EXPECT_EQ(file.read(10), "{}");
        }
        EXPECT_FALSE(std::filesystem::exists(path));
    }
    EXPECT_EQ(folders(), 0U);
}

TEST_F(OutputFiles, TheFileMayBeReplacedOrRemovedByTheProgram) {
    const auto folder = std::make_shared<OutputFolder>(directory.path());
    const OutputFile file(folder);
    std::ofstream(file.path() + ".new") << "1";
    std::filesystem::rename(file.path() + ".new", file.path());
    EXPECT_EQ(file.read(10), "1");
    std::filesystem::remove(file.path());
    EXPECT_EQ(file.read(10), std::nullopt);
    ASSERT_EQ(::mkfifo(file.path().c_str(), 0600), 0);
    EXPECT_THROW(static_cast<void>(file.read(10)), OperationFailed) << "and it does not wait";
}

TEST_F(OutputFiles, ALongFileIsOverItsLimit) {
    const auto folder = std::make_shared<OutputFolder>(directory.path());
    const OutputFile file(folder);
    std::ofstream(file.path()) << "12345";
    EXPECT_EQ(file.read(5), "12345");
    try {
        static_cast<void>(file.read(4));
        ADD_FAILURE() << "it was read";
    } catch (const OperationFailed& failed) {
        EXPECT_EQ(failed.kind(), FailureKind::limit);
    }
}

TEST_F(OutputFiles, FilesOfADeadProcessAreRemovedAndThoseOfALivingOneAreNot) {
    const auto living = std::make_shared<OutputFolder>(directory.path());
    const OutputFile kept(living);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto folder = std::make_shared<OutputFolder>(directory.path());
        const OutputFile file(folder);
        ::raise(SIGKILL);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_EQ(folders(), 2U);
    const auto next = std::make_shared<OutputFolder>(directory.path());
    const OutputFile file(next);
    EXPECT_EQ(folders(), 2U) << "its own, and that of the living";
    EXPECT_TRUE(std::filesystem::exists(kept.path()));
    EXPECT_TRUE(std::filesystem::exists(file.path()));
}

TEST_F(OutputFiles, APlaceThatIsMissingIsNamedAndMayBeThereLater) {
    const auto folder = std::make_shared<OutputFolder>(directory.file("missing"));
    try {
        const OutputFile file(folder);
        ADD_FAILURE() << "it was made";
    } catch (const OperationFailed& failed) {
        EXPECT_THAT(failed.what(), HasSubstr(directory.file("missing")));
        EXPECT_TRUE(failed.failure().retryable);
    }
}

}  // namespace
}  // namespace belay::flow
