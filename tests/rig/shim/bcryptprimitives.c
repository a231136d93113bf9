/* Wine 8 has no bcryptprimitives.dll, without which no Go program starts. This one gives it the
   only function that the Go runtime asks for: random bytes, here from RtlGenRandom of advapi32
   (https://learn.microsoft.com/windows/win32/api/ntsecapi/nf-ntsecapi-rtlgenrandom). */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length)
{
    return SystemFunction036(buffer, (ULONG)length);
}
