#include "flow/steps/http_client.hpp"

#include "flow/steps/http_exchange.hpp"
#include <belay/detail/mutex.hpp>

#include <pthread.h>

#include <csignal>
#include <deque>
#include <map>
#include <stdexcept>

namespace belay::flow {

namespace {

/// Nothing needs it: whoever has something for the thread wakes it.
constexpr int kLongWaitMs = 60'000;

void initialize_libcurl() {
    static const CURLcode kDone = ::curl_global_init(CURL_GLOBAL_DEFAULT);
    if (kDone != CURLE_OK) throw std::runtime_error("libcurl cannot be initialized");
}

/// A signal for this process is nothing for this thread. Writing to a connection that was closed
/// must be an error and not a signal.
void block_signals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

/// Shared with its thread, which ends when it is closed.
class HttpClient::Core : public std::enable_shared_from_this<Core> {
public:
    Core() : multi_((initialize_libcurl(), ::curl_multi_init())) {
        if (multi_ == nullptr) throw std::runtime_error("libcurl: no memory");
    }
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;
    ~Core() { ::curl_multi_cleanup(multi_); }

    void start(std::shared_ptr<HttpExchange> exchange) {
        {
            const detail::MutexLock lock(mutex_);
            if (!thread_.joinable()) {
                thread_ = std::thread([self = shared_from_this()] { self->work(); });
            }
            orders_.emplace_back(Order::start, std::move(exchange));
        }
        ::curl_multi_wakeup(multi_);
    }
    void cancel(std::shared_ptr<HttpExchange> exchange) {
        {
            const detail::MutexLock lock(mutex_);
            orders_.emplace_back(Order::cancel, std::move(exchange));
        }
        ::curl_multi_wakeup(multi_);
    }
    void close() {
        std::thread thread;
        {
            const detail::MutexLock lock(mutex_);
            closed_ = true;
            thread.swap(thread_);
        }
        ::curl_multi_wakeup(multi_);
        if (!thread.joinable()) return;
        // Its last user may be what it has just completed.
        if (thread.get_id() == std::this_thread::get_id()) {
            thread.detach();
        } else {
            thread.join();
        }
    }

private:
    enum class Order : bool { start, cancel };
    using Orders = std::deque<std::pair<Order, std::shared_ptr<HttpExchange>>>;

    void work();
    /// Returns false if it is time to end.
    bool take_orders();
    void carry_out(Order order, const std::shared_ptr<HttpExchange>& exchange);
    void cancel_all();
    void tell_ended();

    CURLM* const multi_;
    detail::Mutex mutex_;
    std::thread thread_ BELAY_GUARDED_BY(mutex_);
    Orders orders_ BELAY_GUARDED_BY(mutex_);
    bool closed_ BELAY_GUARDED_BY(mutex_) = false;
    /// The thread's own.
    std::map<CURL*, std::shared_ptr<HttpExchange>> under_way_;
};

void HttpClient::Core::work() {
    block_signals();
    while (take_orders()) {
        int running = 0;
        ::curl_multi_perform(multi_, &running);
        tell_ended();
        ::curl_multi_poll(multi_, nullptr, 0, kLongWaitMs, nullptr);
    }
    cancel_all();
}

bool HttpClient::Core::take_orders() {
    Orders orders;
    bool closed = false;
    {
        const detail::MutexLock lock(mutex_);
        orders.swap(orders_);
        closed = closed_;
    }
    for (const auto& [order, exchange] : orders) carry_out(order, exchange);
    return !closed;
}

void HttpClient::Core::carry_out(Order order, const std::shared_ptr<HttpExchange>& exchange) {
    if (order == Order::start) {
        if (::curl_multi_add_handle(multi_, exchange->handle()) == CURLM_OK) {
            under_way_.emplace(exchange->handle(), exchange);
        } else {
            exchange->end(CURLE_OUT_OF_MEMORY);
        }
        return;
    }
    if (under_way_.erase(exchange->handle()) == 0) return;  // It has ended.
    ::curl_multi_remove_handle(multi_, exchange->handle());
    exchange->end_canceled();
}

void HttpClient::Core::cancel_all() {
    while (!under_way_.empty()) {
        const std::shared_ptr<HttpExchange> exchange = under_way_.begin()->second;
        carry_out(Order::cancel, exchange);
    }
}

void HttpClient::Core::tell_ended() {
    int left = 0;
    while (const CURLMsg* const message = ::curl_multi_info_read(multi_, &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        const CURLcode code = message->data.result;  // Gone with the handle.
        const auto at = under_way_.find(message->easy_handle);
        if (at == under_way_.end()) continue;
        const std::shared_ptr<HttpExchange> exchange = std::move(at->second);
        under_way_.erase(at);
        ::curl_multi_remove_handle(multi_, exchange->handle());
        exchange->end(code);
    }
}

HttpClient::HttpClient() : core_(std::make_shared<Core>()) {}
HttpClient::~HttpClient() { core_->close(); }

std::shared_ptr<HttpExchange> HttpClient::start(HttpCall call, Done done) {
    auto exchange = std::make_shared<HttpExchange>(std::move(call), std::move(done));
    core_->start(exchange);
    return exchange;
}

void HttpClient::cancel(const std::shared_ptr<HttpExchange>& exchange) { core_->cancel(exchange); }

}  // namespace belay::flow
