/* Writing and reading frames. */
#include "bridge.h"

static BOOL reserve(struct frame *frame, UINT32 more)
{
    BYTE *bytes;
    UINT32 room = frame->room ? frame->room : 256;

    if (frame->failed || more > FRAME_MOST || frame->length + more > FRAME_MOST) {
        frame->failed = TRUE;
        return FALSE;
    }
    while (room < frame->length + more) room *= 2;
    if (room == frame->room) return TRUE;
    bytes = frame->bytes ? HeapReAlloc(GetProcessHeap(), 0, frame->bytes, room) : HeapAlloc(GetProcessHeap(), 0, room);
    if (!bytes) {
        frame->failed = TRUE;
        return FALSE;
    }
    frame->bytes = bytes;
    frame->room = room;
    return TRUE;
}

static void put(struct frame *frame, const void *bytes, UINT32 length)
{
    if (!reserve(frame, length)) return;
    memcpy(frame->bytes + frame->length, bytes, length);
    frame->length += length;
}

static const BYTE *get(struct frame *frame, UINT32 length)
{
    const BYTE *bytes = frame->bytes + frame->at;

    if (frame->failed || length > frame->length - frame->at) {
        frame->failed = TRUE;
        return NULL;
    }
    frame->at += length;
    return bytes;
}

void frame_begin(struct frame *frame, BYTE operation)
{
    ZeroMemory(frame, sizeof(*frame));
    put_u8(frame, operation);
}

void frame_free(struct frame *frame)
{
    if (frame->bytes) HeapFree(GetProcessHeap(), 0, frame->bytes);
    ZeroMemory(frame, sizeof(*frame));
}

void put_u8(struct frame *frame, BYTE value) { put(frame, &value, sizeof(value)); }
void put_u16(struct frame *frame, UINT16 value) { put(frame, &value, sizeof(value)); }
void put_u32(struct frame *frame, UINT32 value) { put(frame, &value, sizeof(value)); }
void put_u64(struct frame *frame, UINT64 value) { put(frame, &value, sizeof(value)); }

void put_text(struct frame *frame, const WCHAR *text, UINT32 length)
{
    if (length > FRAME_MOST / sizeof(WCHAR)) {
        frame->failed = TRUE;
        return;
    }
    put_u32(frame, length);
    put(frame, text, length * sizeof(WCHAR));
}

UINT16 get_u16(struct frame *frame)
{
    UINT16 value = 0;
    const BYTE *bytes = get(frame, sizeof(value));
    if (bytes) memcpy(&value, bytes, sizeof(value));
    return value;
}

UINT32 get_u32(struct frame *frame)
{
    UINT32 value = 0;
    const BYTE *bytes = get(frame, sizeof(value));
    if (bytes) memcpy(&value, bytes, sizeof(value));
    return value;
}

UINT64 get_u64(struct frame *frame)
{
    UINT64 value = 0;
    const BYTE *bytes = get(frame, sizeof(value));
    if (bytes) memcpy(&value, bytes, sizeof(value));
    return value;
}

BSTR get_text(struct frame *frame)
{
    UINT32 length = get_u32(frame);
    const BYTE *bytes;
    BSTR text;

    if (length > FRAME_MOST / sizeof(WCHAR)) frame->failed = TRUE;
    bytes = get(frame, frame->failed ? 0 : length * sizeof(WCHAR));
    if (!bytes) return NULL;
    text = SysAllocStringLen(NULL, length);
    if (!text) {
        frame->failed = TRUE;
        return NULL;
    }
    memcpy(text, bytes, length * sizeof(WCHAR));
    return text;
}
