// The fingerprints of a start's input, of requests, and of the filters of lists.
#pragma once

#include <belay/payload.hpp>
#include <belay/store/listing.hpp>
#include <belay/store/transition.hpp>

#include <string>

namespace belay::client {

/// SHA-256 over the codec and the bytes. JSON counts in its canonical form (json::canonical), also
/// as one of several arguments, so that neither the order of names nor spaces make a difference.
/// Other codecs give equal bytes for equal values. So equal inputs have equal digests.
[[nodiscard]] Digest digest_of(const Payload& input);

/// The id of a run that is started under a request id and without an id of its own: always the
/// same, so that the request can be recognised when it is sent again.
[[nodiscard]] std::string id_from_request(const std::string& space, const std::string& request_id);

/// SHA-256 over what the caller of a request decided, so that a request id that is used again for
/// something else is noticed. Left out: its target and its kind, which a store compares itself; run
/// keys, which are drawn anew for each attempt; headers, because trace context differs between
/// attempts; and values that come from settings and not from the request.
[[nodiscard]] Digest request_digest(const Start& part);
[[nodiscard]] Digest request_digest(const Cancel& part);
[[nodiscard]] Digest request_digest(const Finish& part);
[[nodiscard]] Digest request_digest(const Send& part);
[[nodiscard]] Digest request_digest(const Delete& part);
[[nodiscard]] Digest request_digest(const Release& part);
[[nodiscard]] Digest request_digest(const FreeKey& part);
[[nodiscard]] Digest request_digest(const DeleteInstances& part);
[[nodiscard]] Digest request_digest(const Prune& part);
[[nodiscard]] Digest request_digest(const Redrive& part);
[[nodiscard]] Digest request_digest(const Discard& part);
[[nodiscard]] Digest request_digest(const SetRetention& part);
[[nodiscard]] Digest request_digest(const Import& part);
[[nodiscard]] Digest request_digest(const SetQueueLimits& part);
[[nodiscard]] Digest request_digest(const SetPause& part);

/// SHA-256 over a request for a list, without the place and the size of the page.
[[nodiscard]] Digest query_digest(const ListInstances& request);
[[nodiscard]] Digest query_digest(const ListKeys& request);

}  // namespace belay::client
