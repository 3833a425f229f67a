/* template.c - see template.h. The assembler takes the file in as it is; both gcc and clang hand it the words below. */
#include "report/template.h"

__asm__(".section .rodata\n"
        ".global sm_template\n"
        ".hidden sm_template\n"
        ".global sm_template_end\n"
        ".hidden sm_template_end\n"
        "sm_template:\n"
        ".incbin \"" SMERF_REPORT_TEMPLATE "\"\n"
        "sm_template_end:\n"
        ".byte 0\n"
        ".previous\n");
