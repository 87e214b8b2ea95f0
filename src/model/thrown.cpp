#include "model/thrown.hpp"

#include "base/utf8.hpp"
#include <belay/detail/type_name.hpp>
#include <belay/exceptions.hpp>

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <typeinfo>
#include <utility>

namespace belay {

std::string detail::type_name(const std::type_info& type) {
    int status = 0;
    char* const readable = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
    std::string name = status == 0 ? readable : type.name();
    std::free(readable);
    return name;
}

namespace model {

namespace {

/// An exception class of users may return null.
std::string message_of(const std::exception& problem) {
    const char* const text = problem.what();
    return text == nullptr ? std::string() : text;
}

}  // namespace

Failure failure_of_current_exception() {
    Failure failure;
    try {
        throw;
    } catch (const OperationFailed& failed) {
        return with_known_kind(failed.failure());
    } catch (const LimitExceeded& problem) {
        failure.kind = FailureKind::limit;
        failure.message = problem.what();
    } catch (const ApplicationError& error) {
        failure.message = error.what();
        failure.detail = error.detail();
        failure.type = error.type();
        failure.retryable = error.retryable();
    } catch (const std::exception& problem) {
        failure.message = message_of(problem);
        failure.type = detail::type_name(typeid(problem));
    } catch (...) {
        failure.message = "something that is not a std::exception was thrown";
        // The language has no name for the caught type. The runtime library has one.
        if (const std::type_info* const type = abi::__cxa_current_exception_type()) {
            failure.type = detail::type_name(*type);
        }
    }
    return failure;
}

Failure failure_of_current_exception(const std::string& definition) {
    Failure failure = failure_of_current_exception();
    if (failure.where.empty()) failure.where = definition;
    return failure;
}

Failure with_known_kind(Failure failure) {
    const bool known =
        failure.kind >= FailureKind::application && failure.kind <= FailureKind::id_in_use;
    if (!known) failure.kind = FailureKind::application;
    return failure;
}

Failure shortened(Failure failure, const Limits& limits) {
    for (std::string* const text :
         {&failure.message, &failure.where, &failure.detail, &failure.type}) {
        *text = base::shortened(std::move(*text), limits.failure_bytes);
    }
    return failure;
}

}  // namespace model

}  // namespace belay
