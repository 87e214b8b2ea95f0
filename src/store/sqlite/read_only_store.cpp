#include "store/sqlite/file_lock.hpp"
#include "store/sqlite/glance.hpp"
#include "store/sqlite/location.hpp"
#include "store/sqlite/reading.hpp"
#include "store/sqlite/reads.hpp"
#include "store/sqlite/schema.hpp"
#include <belay/store/sqlite/read_only.hpp>

#include <filesystem>

namespace belay::sqlite {

namespace {

/// Opens the file anew for each read: there is no telling for how long the same connection fits.
class ReadOnlyStore final : public Store {
public:
    ReadOnlyStore(std::string path, SqliteOptions options, Clock& clock)
        : path_(std::move(path)), options_(std::move(options)), clock_(clock) {}

    [[nodiscard]] Timestamp now() override { return clock_.wall(); }

    void commit(std::vector<Transition> /*batch*/, Done<std::vector<Answer>> done) override {
        done(refusal());
    }
    void claim(ClaimInstances /*request*/, Done<ClaimInstances::Answer> done) override {
        done(refusal());
    }
    void claim(ClaimActivities /*request*/, Done<ClaimActivities::Answer> done) override {
        done(refusal());
    }
    void read_any(Read request, Done<ReadAnswer> done) override {
        const Timestamp now = clock_.wall();
        done(read_file(path_, options_, [&](Connection& connection) {
            return std::visit(
                [&]<class Request>(const Request& one) {
                    return wrap_answer<Request>(sqlite::read(connection, one, now));
                },
                request);
        }));
    }

    void subscribe(StoreListener& /*listener*/) override {}
    void unsubscribe(StoreListener& /*listener*/) override {}

private:
    [[nodiscard]] Error refusal() const {
        const auto part = unwritable_part(path_);
        return Error(Errc::store_lost,
                     part ? "this user may not write to '" + *part + "'"
                          : "'" + path_ + "' was opened for reading only");
    }

    const std::string path_;
    const SqliteOptions options_;
    Clock& clock_;
};

/// Nobody can upgrade the file here.
Result<void> check_version(Connection& connection) {
    const auto version = version_of(connection);
    if (!version) return version.error();
    if (*version >= kSchemaVersion) return {};
    return Error(Errc::unsupported,
                 "the file was written by an older release: its schema is version " +
                     std::to_string(*version) + ", and this program reads " +
                     std::to_string(kSchemaVersion) +
                     "; it is upgraded when a user opens it who may write to it");
}

}  // namespace

bool may_write(const std::string& path) {
    const auto located = locate(path);
    return located && !unwritable_part(*located);
}

Result<std::unique_ptr<Store>> make_read_only_sqlite_store(const std::string& path,
                                                           const SqliteOptions& options,
                                                           Clock& clock) {
    if (UnsharedDescriptor::lost_some_in_fork()) return FileLock::forked();
    const auto located = locate(path);
    if (!located) return located.error();
    if (!std::filesystem::exists(*located)) {
        return Error(Errc::invalid_argument, "there is no file '" + path + "'");
    }
    if (auto seen = refuse_empty(*located); !seen) return seen.error();
    if (auto seen = peek(*located); !seen) return seen.error();
    const auto checked = read_file(*located, options, check_version);
    if (!checked) return checked.error();
    if (!*checked) return checked->error();
    return std::unique_ptr<Store>(std::make_unique<ReadOnlyStore>(*located, options, clock));
}

}  // namespace belay::sqlite
