/* A COM server in the program's process that has no objects of its own: every object is a number
   in the simulator, and each use of it travels there over a loopback connection. The wire is
   described in simulator/serve/wire.go. */
#ifndef BRIDGE_H
#define BRIDGE_H

#define COBJMACROS
#define WIN32_LEAN_AND_MEAN
#include <winsock2.h>
#include <windows.h>
#include <ole2.h>
#include <oaidl.h>

/* The environment variable with the simulator's host and port. */
#define ADDRESS_VARIABLE "DISKAUDIT_RIG"

enum operation { OP_HELLO = 1, OP_CREATE, OP_NAME, OP_INVOKE, OP_NEXT, OP_RESET, OP_RELEASE };

/* The longest frame that either side takes, and how far arrays may lie in arrays. */
#define FRAME_MOST (1u << 20)
#define ARRAY_DEEPEST 4

/* frame is a frame under way: written from its end, read from at. Once something did not fit or
   was not there, failed is set, and everything that follows does nothing. */
struct frame {
    BYTE *bytes;
    UINT32 length, room, at;
    BOOL failed;
};

void frame_begin(struct frame *frame, BYTE operation);
void frame_free(struct frame *frame);
void put_u8(struct frame *frame, BYTE value);
void put_u16(struct frame *frame, UINT16 value);
void put_u32(struct frame *frame, UINT32 value);
void put_u64(struct frame *frame, UINT64 value);
void put_text(struct frame *frame, const WCHAR *text, UINT32 length);
UINT16 get_u16(struct frame *frame);
UINT32 get_u32(struct frame *frame);
UINT64 get_u64(struct frame *frame);
BSTR get_text(struct frame *frame);

/* put_variant writes what a VARIANT holds, or what it points to. */
void put_variant(struct frame *frame, const VARIANT *value, int depth);
/* get_variant reads a value into an empty VARIANT. */
void get_variant(struct frame *frame, VARIANT *value, int depth);

/* exchange sends the frame and puts the answer in its place. It returns the answer's HRESULT, or
   RPC_E_SERVER_DIED when there is no simulator. */
HRESULT exchange(struct frame *frame);

/* new_object and new_enumerator make the COM object for an object of the simulator, with one
   reference; NULL when there is no memory. */
IDispatch *new_object(UINT32 number);
IUnknown *new_enumerator(UINT32 number);
/* release_number tells the simulator that an object is not used any more. */
void release_number(UINT32 number);

#endif
