/* gzip.c - compressed text, in and out: see text.h. The one file that knows zlib.
 *
 * What comes in is decompressed in memory as a whole, like standard input: it is read several times, and positions in it are named.
 * What goes out passes through an sm_output's filter, so that it is whole or not there like any other file. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "io/text/text.h"

enum { CHUNK = 1 << 16, GZIP = 16 + MAX_WBITS };

bool sm_gzip_is(const char *bytes, size_t n_bytes) { return n_bytes >= 2 && memcmp(bytes, "\x1F\x8B", 2) == 0; }

/* ---- in ---- */

typedef struct gunzip {
    z_stream stream;
    const char *name;
    const sm_input *from;
    size_t n_taken; /* of its bytes */
    size_t n_behind;
    char *bytes;
    size_t n, capacity;
    smerf_error *error;
} gunzip;

/* Memory for more text: as much again, which a few bytes may ask for, so that each step is looked at. */
static smerf_status reserve_text(gunzip *work) {
    size_t wanted = work->capacity == 0 ? CHUNK : work->capacity + 1; /* sm_grow doubles */
    smerf_status status = sm_check_memory(2 * (double)work->capacity, work->name, work->error);
    if (status != SMERF_OK) return status;
    void *bytes = work->bytes;
    bool fits = sm_grow(&bytes, &work->capacity, wanted, 1);
    work->bytes = bytes;
    if (fits) return SMERF_OK;
    return sm_fail(work->error, SMERF_NO_MEMORY, "%s: out of memory when %.1f GB of it had been decompressed",
                   work->name, (double)work->n / 1e9);
}

/* One step of zlib, which counts in 32 bits. */
static int inflate_some(gunzip *work) {
    z_stream *stream = &work->stream;
    size_t n_in = work->from->n_bytes - work->n_taken, n_out = work->capacity - work->n;
    uInt given = (uInt)(n_in < CHUNK ? n_in : CHUNK), space = (uInt)(n_out < CHUNK ? n_out : CHUNK);
    stream->next_in = (Bytef *)(work->from->bytes + work->n_taken);
    stream->avail_in = given;
    stream->next_out = (Bytef *)work->bytes + work->n;
    stream->avail_out = space;
    int code = inflate(stream, Z_NO_FLUSH);
    work->n_taken += given - stream->avail_in;
    work->n += space - stream->avail_out;
    if (work->n_taken - work->n_behind > (size_t)16 << 20) {
        sm_input_let_go(work->from, work->n_behind, work->n_taken);
        work->n_behind = work->n_taken;
    }
    return code;
}

static smerf_status fail_gunzip(const gunzip *work, const char *what) {
    return sm_fail(work->error, SMERF_BAD_INPUT, "%s: the compressed file %s (gzip)", work->name, what);
}

/* Zeros may follow the last member: tapes and blocks are filled up with them. */
static bool has_only_zeros(const sm_input *input, size_t from) {
    while (from < input->n_bytes && input->bytes[from] == '\0') from++;
    return from == input->n_bytes;
}

static smerf_status gunzip_all(gunzip *work) {
    const sm_input *from = work->from;
    for (;;) {
        smerf_status status = work->n == work->capacity ? reserve_text(work) : SMERF_OK;
        if (status != SMERF_OK) return status;
        bool is_at_end = work->n_taken == from->n_bytes;
        int code = inflate_some(work);
        if (code == Z_MEM_ERROR) return sm_no_memory(work->error, "decompressing a file");
        if (code == Z_STREAM_END) {
            if (has_only_zeros(from, work->n_taken)) return SMERF_OK;
            if (!sm_gzip_is(from->bytes + work->n_taken, from->n_bytes - work->n_taken))
                return fail_gunzip(work, "is followed by something else");
            if (inflateReset(&work->stream) != Z_OK) return sm_no_memory(work->error, "decompressing a file");
        } else if (code == Z_BUF_ERROR && is_at_end) {
            return fail_gunzip(work, "is cut short");
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            return fail_gunzip(work, "is damaged");
        }
    }
}

smerf_status sm_gzip_open(const char *name, sm_input *input, smerf_error *error) {
    gunzip work = {.name = name, .from = input, .error = error};
    if (inflateInit2(&work.stream, GZIP) != Z_OK) return sm_no_memory(error, "decompressing a file");
    smerf_status status = gunzip_all(&work);
    inflateEnd(&work.stream);
    if (status != SMERF_OK) {
        sm_free(work.bytes);
        return status;
    }
    sm_input_close(input);
    *input = (sm_input){.bytes = sm_shrink(work.bytes, work.n, 1), .n_bytes = work.n};
    return SMERF_OK;
}

/* ---- out ---- */

/* Hands on what zlib has ready; is_last: all of it. */
static bool deflate_some(z_stream *stream, sm_output *output, bool is_last) {
    unsigned char ready[CHUNK];
    int code;
    do {
        stream->next_out = ready;
        stream->avail_out = sizeof ready;
        code = deflate(stream, is_last ? Z_FINISH : Z_NO_FLUSH);
        if (code == Z_STREAM_ERROR) return false;
        sm_output_pass_on(output, ready, sizeof ready - stream->avail_out);
    } while (stream->avail_out == 0);
    return !is_last || code == Z_STREAM_END;
}

static bool gzip_write(void *state, sm_output *output, const void *bytes, size_t n_bytes) {
    z_stream *stream = state;
    const Bytef *from = bytes;
    bool is_done = true;
    for (size_t n; n_bytes > 0 && is_done; from += n, n_bytes -= n) {
        n = n_bytes < CHUNK ? n_bytes : CHUNK;
        stream->next_in = (Bytef *)from;
        stream->avail_in = (uInt)n;
        is_done = deflate_some(stream, output, false);
    }
    return is_done;
}

static bool gzip_finish(void *state, sm_output *output) {
    z_stream *stream = state;
    stream->next_in = NULL;
    stream->avail_in = 0;
    return deflate_some(stream, output, true);
}

static void gzip_free(void *state) {
    z_stream *stream = state;
    deflateEnd(stream);
    sm_free(stream);
}

static bool ends_with(const char *path, const char *suffix) {
    size_t n = strlen(path), n_suffix = strlen(suffix);
    return n >= n_suffix && strcmp(path + n - n_suffix, suffix) == 0;
}

/* zlib's own header says neither when nor on what system. */
smerf_status sm_text_output_open(const char *path, sm_output **output, smerf_error *error) {
    smerf_status status = sm_output_open(path, output, error);
    if (status != SMERF_OK || !ends_with(path, ".gz")) return status;
    z_stream *stream = sm_zeros(1, sizeof *stream);
    bool is_ready = stream != NULL;
    if (is_ready)
        is_ready = deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    if (is_ready) {
        sm_output_set_filter(*output, &(sm_output_filter){stream, gzip_write, gzip_finish, gzip_free});
        return SMERF_OK;
    }
    sm_free(stream);
    sm_output_abandon(*output);
    *output = NULL;
    return sm_no_memory(error, "compressing a file");
}
