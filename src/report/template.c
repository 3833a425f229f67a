/* template.c - see sections.h. The assembler includes the file as it is (.incbin); both gcc and clang pass it the lines below. */
#include "report/sections.h"

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
