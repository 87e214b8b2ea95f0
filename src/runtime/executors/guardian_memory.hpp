// Unmaps memory that the guardian was made with: system calls only.
#pragma once

namespace belay::runtime {

/// Unmaps the heap, other threads' stacks and shared files in a copy of a process.
/// Memory that the other one writes to later would exist twice otherwise, and files that it has
/// mapped would stay in use. Kept: programs and libraries, this thread's stack and its own
/// variables, and the mapping with `kept`. From then on the C library can do nothing but system
/// calls. Does nothing in a program that is built with a sanitizer, whose code needs its memory.
void let_go_of_memory(const void* kept);

}  // namespace belay::runtime
