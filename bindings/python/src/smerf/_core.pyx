# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, nonecheck=True
"""Thin calls of the C library: arrays in, arrays out. The estimators speak to the user, this module to the library.

Every call that may take long lets go of the interpreter's lock. Arrays come as the library wants them (contiguous, of the
right type): _inputs.py sees to that.
"""
import os
import tempfile

import numpy as np

from libc.math cimport isinf
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from smerf import _messages
from smerf._smerf cimport *

include "_calls.pxi"
include "_items.pxi"
include "_targets.pxi"
include "_sinks.pxi"
include "_model.pxi"
include "_index.pxi"
include "_explore.pxi"
include "_report.pxi"
include "_looking.pxi"
include "_study.pxi"
