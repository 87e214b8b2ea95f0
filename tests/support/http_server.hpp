// A small HTTP server for tests, on a port of its own.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace belay::support {

struct ServedRequest {
    std::string method;
    std::string path;
    std::map<std::string, std::string> headers{};  ///< Names in lower case.
    std::string body{};

    [[nodiscard]] std::string header(const std::string& name) const {
        const auto at = headers.find(name);
        return at == headers.end() ? "(none)" : at->second;
    }
};

/// A connection that is closed after its request was answered.
class ServedConnection {
public:
    explicit ServedConnection(int fd) : fd_(fd) {}
    void send(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0) return;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
    /// Sends a whole response; `headers` have their line ends.
    void answer(int status, const std::string& headers, const std::string& body) const {
        send("HTTP/1.1 " + std::to_string(status) +
             " Status\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
             "\r\n" + headers + "\r\n" + body);
    }
    /// Waits until the client has closed it.
    void wait_for_close() const {
        char one = 0;
        while (::recv(fd_, &one, 1, 0) > 0) {
        }
    }

private:
    int fd_;
};

/// Each connection has a thread, which calls the handler.
class HttpServer {
public:
    using Handler = std::function<void(const ServedRequest&, const ServedConnection&)>;

    explicit HttpServer(Handler handler) : handler_(std::move(handler)) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const any = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listener_, any, size) != 0 || ::listen(listener_, SOMAXCONN) != 0 ||
            ::getsockname(listener_, any, &size) != 0) {
            throw std::runtime_error("no server for the test");
        }
        port_ = ntohs(address.sin_port);
        accepting_ = std::thread([this] { accept_all(); });
    }
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    ~HttpServer() {
        ::shutdown(listener_, SHUT_RDWR);
        accepting_.join();
        ::close(listener_);
        for (std::thread& thread : threads_) thread.join();
    }

    [[nodiscard]] std::string url(const std::string& path) const {
        return "http://127.0.0.1:" + std::to_string(port_) + path;
    }
    [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
    [[nodiscard]] int port() const noexcept { return port_; }
    [[nodiscard]] std::vector<ServedRequest> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }

private:
    void accept_all() {
        while (true) {
            const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (fd < 0) return;
            threads_.emplace_back([this, fd] { serve(fd); });
        }
    }
    void serve(int fd) {
        std::string text;
        constexpr char kTls = 0x16;  // A client that wants to speak TLS begins so.
        if (read_some(fd, text) && text.front() == kTls) {
            ServedConnection(fd).send("HTTP/1.1 400 Bad Request\r\n\r\n");
        } else if (read_until(fd, text, "\r\n\r\n")) {
            ServedRequest request = parse(text);
            const std::size_t begin = text.find("\r\n\r\n") + 4;
            const auto length = request.headers.find("content-length");
            const std::size_t size =
                length == request.headers.end() ? 0 : std::stoul(length->second);
            read_size(fd, text, begin + size);
            request.body = text.substr(begin);
            {
                const std::lock_guard lock(mutex_);
                requests_.push_back(request);
            }
            handler_(request, ServedConnection(fd));
        }
        ::shutdown(fd, SHUT_WR);
        ServedConnection(fd).wait_for_close();
        ::close(fd);
    }
    static bool read_some(int fd, std::string& text) {
        char buffer[4096];
        const ssize_t got = ::recv(fd, buffer, sizeof buffer, 0);
        if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
        return got > 0;
    }
    static bool read_until(int fd, std::string& text, std::string_view end) {
        while (text.find(end) == std::string::npos) {
            if (!read_some(fd, text)) return false;
        }
        return true;
    }
    static void read_size(int fd, std::string& text, std::size_t size) {
        while (text.size() < size && read_some(fd, text)) {
        }
    }
    static ServedRequest parse(std::string_view text) {
        ServedRequest request;
        std::string_view line = text.substr(0, text.find("\r\n"));
        request.method = line.substr(0, line.find(' '));
        line.remove_prefix(request.method.size() + 1);
        request.path = line.substr(0, line.find(' '));
        text.remove_prefix(text.find("\r\n") + 2);
        while (!text.starts_with("\r\n")) {
            line = text.substr(0, text.find("\r\n"));
            std::string name(line.substr(0, line.find(':')));
            std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
                return static_cast<char>(std::tolower(c));
            });
            std::string_view value = line.substr(name.size() + 1);
            while (value.starts_with(' ')) value.remove_prefix(1);
            request.headers[name] = value;
            text.remove_prefix(line.size() + 2);
        }
        return request;
    }

    Handler handler_;
    int listener_ = -1;
    int port_ = 0;
    std::thread accepting_;
    std::list<std::thread> threads_;  ///< The accepting thread's own until it has ended.
    mutable std::mutex mutex_;
    std::vector<ServedRequest> requests_;
};

}  // namespace belay::support
