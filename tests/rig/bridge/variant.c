/* VARIANTs in frames (https://learn.microsoft.com/windows/win32/api/oaidl/ns-oaidl-variant). */
#include "bridge.h"

/* width is how many bytes a simple value of this type has; 0 for all other types. */
static UINT32 width(VARTYPE type)
{
    switch (type) {
    case VT_I1: case VT_UI1: return 1;
    case VT_I2: case VT_UI2: case VT_BOOL: return 2;
    case VT_I4: case VT_UI4: case VT_INT: case VT_UINT: case VT_R4: case VT_ERROR: return 4;
    case VT_I8: case VT_UI8: case VT_R8: case VT_DATE: case VT_CY: return 8;
    }
    return 0;
}

static void put_bstr(struct frame *frame, BSTR text)
{
    put_u16(frame, VT_BSTR);
    put_text(frame, text, SysStringLen(text));
}

void put_variant(struct frame *frame, const VARIANT *value, int depth)
{
    VARTYPE type = V_VT(value) & ~VT_BYREF;
    BOOL pointed = V_VT(value) & VT_BYREF;
    UINT64 bits = 0;

    if (pointed && !V_BYREF(value)) {
        put_u16(frame, VT_NULL);
        return;
    }
    if (type == VT_VARIANT) {
        if (depth >= ARRAY_DEEPEST) frame->failed = TRUE;
        else put_variant(frame, V_VARIANTREF(value), depth + 1);
        return;
    }
    if (type == VT_BSTR) {
        /* What a pointer to a string holds before the call is nothing that a method looks at. */
        if (pointed) put_u16(frame, VT_NULL);
        else put_bstr(frame, V_BSTR(value));
        return;
    }
    if (!width(type)) {
        put_u16(frame, type == VT_EMPTY ? VT_EMPTY : VT_NULL);
        return;
    }
    memcpy(&bits, pointed ? V_BYREF(value) : (const void *)&V_I8(value), width(type));
    put_u16(frame, type);
    put_u64(frame, bits);
}

/* get_array reads an array, which scripting for WMI always makes one of VARIANTs. */
static void get_array(struct frame *frame, VARIANT *value, int depth)
{
    UINT32 i, length = get_u32(frame);
    VARIANT *elements;
    SAFEARRAY *array;

    /* Each element takes two bytes at least. */
    if (depth >= ARRAY_DEEPEST || length > (frame->length - frame->at) / 2) frame->failed = TRUE;
    if (frame->failed) return;
    array = SafeArrayCreateVector(VT_VARIANT, 0, length);
    if (!array || FAILED(SafeArrayAccessData(array, (void **)&elements))) {
        frame->failed = TRUE;
        return;
    }
    for (i = 0; i < length; i++) get_variant(frame, &elements[i], depth + 1);
    SafeArrayUnaccessData(array);
    V_VT(value) = VT_ARRAY | VT_VARIANT;
    V_ARRAY(value) = array;
}

void get_variant(struct frame *frame, VARIANT *value, int depth)
{
    VARTYPE type = get_u16(frame);
    UINT32 number;
    UINT64 bits;

    VariantInit(value);
    switch (type) {
    case VT_EMPTY:
        return;
    case VT_NULL:
        V_VT(value) = VT_NULL;
        return;
    case VT_BSTR:
        V_BSTR(value) = get_text(frame);
        if (!frame->failed) V_VT(value) = VT_BSTR;
        return;
    case VT_ARRAY | VT_VARIANT:
        get_array(frame, value, depth);
        return;
    case VT_DISPATCH:
    case VT_UNKNOWN:
        number = get_u32(frame);
        if (frame->failed) return;
        if (type == VT_DISPATCH) V_DISPATCH(value) = number ? new_object(number) : NULL;
        else V_UNKNOWN(value) = number ? new_enumerator(number) : NULL;
        V_VT(value) = type;
        return;
    }
    bits = get_u64(frame);
    if (!width(type)) frame->failed = TRUE;
    if (frame->failed) return;
    V_VT(value) = type;
    V_I8(value) = 0;
    memcpy(&V_I8(value), &bits, width(type));
}
