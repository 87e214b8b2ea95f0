#include <belay/store/coded.hpp>

#include <zstd.h>

#include <memory>
#include <string>

namespace belay {

namespace {

/// Returns the compressor of this thread. Making one costs more than compressing a payload. Returns
/// null if there is no memory for it.
ZSTD_CCtx* compressor() {
    struct Free {
        void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    };
    thread_local std::unique_ptr<ZSTD_CCtx, Free> context(ZSTD_createCCtx());
    return context.get();
}

class Compression final : public PayloadCoder {
public:
    explicit Compression(const CompressionOptions& options) : options_(options) {}

    [[nodiscard]] std::uint16_t flag() const noexcept override { return CoderFlags::kCompressed; }

    [[nodiscard]] Result<std::optional<std::string>> encode(std::string_view bytes,
                                                            const CodedAs& as) const override {
        if (bytes.empty() || bytes.size() < options_.at_least || bytes.size() > as.most) {
            return std::optional<std::string>();
        }
        ZSTD_CCtx* const context = compressor();
        if (context == nullptr) return std::optional<std::string>();
        // There is no room for a longer result: if it does not fit, it would not be shorter.
        std::string shorter(bytes.size() - 1, '\0');
        const std::size_t length = ZSTD_compressCCtx(
            context, shorter.data(), shorter.size(), bytes.data(), bytes.size(), options_.level);
        if (ZSTD_isError(length) != 0) return std::optional<std::string>();
        shorter.resize(length);
        shorter.shrink_to_fit();
        return std::optional(std::move(shorter));
    }

    [[nodiscard]] Result<std::string> decode(std::string_view bytes,
                                             const CodedAs& as) const override {
        const unsigned long long length = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
        if (length == ZSTD_CONTENTSIZE_ERROR || length == ZSTD_CONTENTSIZE_UNKNOWN) {
            return damaged();
        }
        // Checks the length that the bytes state before there is memory for it.
        if (length > as.most) {
            return Error(Errc::limit_exceeded,
                         "it is compressed and says to be " + std::to_string(length) +
                             " bytes; at most " + std::to_string(as.most) +
                             " are allowed here: give the chain the limits of those who write "
                             "(CoderChain::limits)");
        }
        std::string opened(static_cast<std::size_t>(length), '\0');
        const std::size_t got =
            ZSTD_decompress(opened.data(), opened.size(), bytes.data(), bytes.size());
        if (ZSTD_isError(got) != 0 || got != opened.size()) return damaged();
        return opened;
    }

private:
    static Error damaged() {
        return Error(Errc::corrupt,
                     "it was compressed and has been changed since: restore it from a backup");
    }

    CompressionOptions options_;
};

}  // namespace

std::shared_ptr<const PayloadCoder> compression(const CompressionOptions& options) {
    return std::make_shared<Compression>(options);
}

}  // namespace belay
