# Errors become exceptions; progress is told, and Ctrl-C heard, while the library works.
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from cpython.exc cimport PyErr_CheckSignals

cdef double SECONDS_BETWEEN_LOOKS = 0.1


cdef double now() noexcept nogil:
    cdef timespec time
    clock_gettime(CLOCK_MONOTONIC, &time)
    return <double>time.tv_sec + 1e-9 * <double>time.tv_nsec


ctypedef struct look_state:
    double next_look
    void *watch


cdef int look(void *context, double share) noexcept nogil:
    """The library calls it often, from the thread that called the library; the interpreter is asked now and then."""
    cdef look_state *state = <look_state *>context
    cdef double time = now()
    if time < state.next_look:
        return 0
    state.next_look = time + SECONDS_BETWEEN_LOOKS
    with gil:
        return (<Watch>state.watch).tell(share)


cdef class Watch:
    """How a call is run, and what went wrong while it ran. `bar` takes the share that is done, or is None.

    Where a call `can_stop`, the first Ctrl-C only asks it to: `is_stopping` is set, and the second one ends it.
    """
    cdef smerf_run run
    cdef look_state state
    cdef object bar, raised
    cdef bint can_stop
    cdef readonly bint is_stopping

    def __cinit__(self, size_t n_threads=0, bar=None):
        memset(&self.run, 0, sizeof(self.run))
        self.run.size = sizeof(self.run)
        self.bar = bar
        self.state.next_look = now() + SECONDS_BETWEEN_LOOKS
        self.state.watch = <void *>self
        self.run.n_threads = n_threads
        self.run.progress = look
        self.run.context = &self.state

    cdef int tell(self, double share) noexcept:
        try:
            PyErr_CheckSignals()
            if self.bar is not None:
                self.bar(share)
        except KeyboardInterrupt as raised:
            if self.can_stop and not self.is_stopping:
                self.is_stopping = True
                return 0
            self.raised = raised
            return 1
        except BaseException as raised:
            self.raised = raised
            return 1
        return 0


cdef str sentence_of(const smerf_error *error):
    """What the library says, with options as the arguments that they are in Python."""
    cdef bytes message = <const char *>error.message
    mentions = [(error.mention[m].at, error.mention[m].length) for m in range(error.n_mentions)]
    return _messages.sentence(message, mentions)


cdef int check(smerf_status status, const smerf_error *error, Watch watch=None) except -1:
    """Raises what the library says, or what was raised while it worked."""
    if status == SMERF_OK:
        return 0
    if status == SMERF_CANCELLED and watch is not None and watch.raised is not None:
        raise watch.raised
    sentence = sentence_of(error)
    if status == SMERF_NO_MEMORY:
        raise MemoryError(sentence)
    if status == SMERF_IO:
        raise OSError(sentence)
    raise ValueError(sentence)


cdef object OURS = object()  # what only this module has: nobody else makes an object whose pointer is not set


cdef class Words:
    """A list of strings as C has them."""
    cdef list kept
    cdef const char **text
    cdef size_t n

    def __cinit__(self, words):
        self.kept = [_utf8(word) for word in words]
        self.n = len(self.kept)
        self.text = <const char **>malloc((self.n + 1) * sizeof(char *))
        if self.text == NULL:
            raise MemoryError()
        for i in range(self.n):
            self.text[i] = <const char *>(<bytes>self.kept[i])

    def __dealloc__(self):
        free(self.text)


cdef bytes _utf8(word):
    text = str(word)
    if "\0" in text:
        raise ValueError(f"the name {text!r} holds a zero byte")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"the name {text!r} is not text that can be written as UTF-8") from None


cdef str _text(const char *text):
    return None if text == NULL else text.decode("utf-8")


def version():
    """The version of the C library."""
    return _text(smerf_version())
