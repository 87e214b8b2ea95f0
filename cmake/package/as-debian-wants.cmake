# CPack runs this between staging and packing: the few things that Debian's packages have otherwise than /usr/local.
cmake_minimum_required(VERSION 3.25)

function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(cli "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/cli/usr/share")
set(dev "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/dev/usr/share")

# Programs are stripped by CPack, archives are not.
file(GLOB_RECURSE archives "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/dev/usr/lib/*.a")
run(strip --strip-debug ${archives})
run(gzip --best --no-name "${cli}/man/man1/belay.1")
file(MAKE_DIRECTORY "${cli}/zsh/vendor-completions")
file(RENAME "${cli}/zsh/site-functions/_belay" "${cli}/zsh/vendor-completions/_belay")
file(REMOVE_RECURSE "${cli}/zsh/site-functions")
# The license is that of both.
file(COPY_FILE "${dev}/doc/belay/LICENSE" "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/copyright")
file(REMOVE_RECURSE "${dev}/doc/belay")
foreach(directory IN ITEMS "${cli}/doc/belay" "${dev}/doc/libbelay-dev")
    file(MAKE_DIRECTORY "${directory}")
    file(COPY_FILE "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/copyright" "${directory}/copyright")
endforeach()
file(REMOVE "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/copyright")
