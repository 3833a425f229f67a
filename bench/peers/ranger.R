# ranger.R - ranger's forest on the same files: Rscript ranger.R kind= x= y= test_x= test_y= trees= candidates= threads=
# Only fitting is timed, from a matrix in memory; one line of JSON, as bench-ours prints it.
suppressMessages(library(ranger))

pairs <- strsplit(commandArgs(trailingOnly = TRUE), "=", fixed = TRUE)
word <- setNames(lapply(pairs, `[`, 2), sapply(pairs, `[`, 1))
is_labels <- word$kind == "labels"

# A .npy file of version 1: row by row, numbers of 4 or 8 bytes.
read_npy <- function(path) {
  file <- file(path, "rb")
  on.exit(close(file))
  readBin(file, "raw", 8)
  header <- readChar(file, readBin(file, "integer", size = 2, signed = FALSE, endian = "little"), useBytes = TRUE)
  shape <- as.integer(strsplit(sub(".*'shape': \\(([^)]*)\\).*", "\\1", header), ",")[[1]])
  bytes <- as.integer(sub(".*'descr': '<[fi]([48])'.*", "\\1", header))
  what <- if (grepl("'<i", header, fixed = TRUE)) "integer" else "double"
  numbers <- readBin(file, what, prod(shape), size = bytes, endian = "little")
  if (shape[2] == 1) numbers else matrix(numbers, shape[1], shape[2], byrow = TRUE,
                                         dimnames = list(NULL, paste0("x", seq_len(shape[2]) - 1)))
}

status_mb <- function(field) {
  line <- grep(paste0("^", field, ":"), readLines("/proc/self/status"), value = TRUE)
  as.numeric(sub("[^0-9]*([0-9]+) kB", "\\1", line)) * 1024 / 1e6
}

x <- read_npy(word$x)
y <- read_npy(word$y)
if (is_labels) y <- factor(y)
invisible(gc())
before_mb <- status_mb("VmRSS")

started <- proc.time()
forest <- ranger(x = x, y = y, num.trees = as.integer(word$trees), mtry = as.integer(word$candidates),
                 num.threads = as.integer(word$threads), min.node.size = 1, oob.error = FALSE, seed = 1, verbose = FALSE)
took <- proc.time() - started
peak_mb <- status_mb("VmHWM")

truth <- read_npy(word$test_y)
predicted <- predict(forest, read_npy(word$test_x), num.threads = as.integer(word$threads), verbose = FALSE)$predictions
score <- if (is_labels) mean(as.integer(as.character(predicted)) == truth) else
  1 - sum((predicted - truth)^2) / sum((truth - mean(truth))^2)
cat(sprintf(paste0('{"seconds": %.6f, "cpu_seconds": %.6f, "before_mb": %.1f, "peak_mb": %.1f, "score": %.6f, ',
                   '"version": "ranger %s"}\n'),
            took[["elapsed"]], took[["user.self"]] + took[["sys.self"]], before_mb, peak_mb, score,
            as.character(packageVersion("ranger"))))
