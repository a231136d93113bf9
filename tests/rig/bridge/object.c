/* The objects: IDispatch for what a script uses by names, IEnumVARIANT for enumerations
   (https://learn.microsoft.com/windows/win32/api/oaidl/nn-oaidl-idispatch). */
#include "bridge.h"

struct object {
    IDispatch IDispatch_iface;
    LONG references;
    UINT32 number;
};

struct enumerator {
    IEnumVARIANT IEnumVARIANT_iface;
    LONG references;
    UINT32 number;
};

void release_number(UINT32 number)
{
    struct frame frame;

    frame_begin(&frame, OP_RELEASE);
    put_u32(&frame, number);
    exchange(&frame);
    frame_free(&frame);
}

static struct object *object_of(IDispatch *iface) { return CONTAINING_RECORD(iface, struct object, IDispatch_iface); }

static HRESULT STDMETHODCALLTYPE object_QueryInterface(IDispatch *iface, REFIID id, void **out)
{
    if (!out) return E_POINTER;
    *out = NULL;
    if (!IsEqualIID(id, &IID_IUnknown) && !IsEqualIID(id, &IID_IDispatch)) return E_NOINTERFACE;
    IDispatch_AddRef(iface);
    *out = iface;
    return S_OK;
}

static ULONG STDMETHODCALLTYPE object_AddRef(IDispatch *iface) { return InterlockedIncrement(&object_of(iface)->references); }

static ULONG STDMETHODCALLTYPE object_Release(IDispatch *iface)
{
    struct object *object = object_of(iface);
    ULONG left = InterlockedDecrement(&object->references);

    if (left) return left;
    release_number(object->number);
    HeapFree(GetProcessHeap(), 0, object);
    return 0;
}

static HRESULT STDMETHODCALLTYPE object_GetTypeInfoCount(IDispatch *iface, UINT *count)
{
    (void)iface;
    *count = 0;
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE object_GetTypeInfo(IDispatch *iface, UINT index, LCID locale, ITypeInfo **info)
{
    (void)iface, (void)index, (void)locale;
    *info = NULL;
    return E_NOTIMPL;
}

static HRESULT STDMETHODCALLTYPE object_GetIDsOfNames(IDispatch *iface, REFIID id, LPOLESTR *names, UINT count, LCID locale, DISPID *members)
{
    HRESULT result = S_OK;
    UINT i;

    (void)id, (void)locale;
    for (i = 0; i < count; i++) {
        struct frame frame;
        HRESULT found;

        frame_begin(&frame, OP_NAME);
        put_u32(&frame, object_of(iface)->number);
        put_text(&frame, names[i], (UINT32)lstrlenW(names[i]));
        found = exchange(&frame);
        members[i] = found == S_OK ? (DISPID)get_u32(&frame) : DISPID_UNKNOWN;
        frame_free(&frame);
        if (found != S_OK) result = found;
    }
    return result;
}

/* take_exception reads what WMI raised. */
static void take_exception(struct frame *frame, EXCEPINFO *exception)
{
    SCODE code = (SCODE)get_u32(frame);
    BSTR source = get_text(frame), description = get_text(frame);

    if (!exception) {
        SysFreeString(source);
        SysFreeString(description);
        return;
    }
    ZeroMemory(exception, sizeof(*exception));
    exception->scode = code;
    exception->bstrSource = source;
    exception->bstrDescription = description;
}

/* hand_back stores a value where an argument points to. A pointer to a number takes NULL and
   nothing by staying as it is. */
static HRESULT hand_back(VARIANT *argument, VARIANT *value)
{
    VARTYPE type = V_VT(argument) & ~VT_BYREF;
    HRESULT result;

    if (!(V_VT(argument) & VT_BYREF) || !V_BYREF(argument)) return S_OK;
    if (type == VT_VARIANT) {
        VariantClear(V_VARIANTREF(argument));
        *V_VARIANTREF(argument) = *value;
        VariantInit(value);
        return S_OK;
    }
    if (V_VT(value) == VT_NULL || V_VT(value) == VT_EMPTY) return S_OK;
    result = VariantChangeType(value, value, 0, type);
    if (FAILED(result)) return DISP_E_TYPEMISMATCH;
    switch (type) {
    case VT_I1: case VT_UI1: *V_UI1REF(argument) = V_UI1(value); break;
    case VT_I2: case VT_UI2: case VT_BOOL: *V_I2REF(argument) = V_I2(value); break;
    case VT_I4: case VT_UI4: case VT_INT: case VT_UINT: *V_I4REF(argument) = V_I4(value); break;
    case VT_I8: case VT_UI8: *V_I8REF(argument) = V_I8(value); break;
    case VT_BSTR:
        *V_BSTRREF(argument) = V_BSTR(value);
        VariantInit(value);
        break;
    default: return DISP_E_TYPEMISMATCH;
    }
    return S_OK;
}

static HRESULT STDMETHODCALLTYPE object_Invoke(IDispatch *iface, DISPID member, REFIID id, LCID locale, WORD flags,
    DISPPARAMS *parameters, VARIANT *result, EXCEPINFO *exception, UINT *wrong)
{
    UINT i, count = parameters ? parameters->cArgs : 0;
    struct frame frame;
    VARIANT value;
    HRESULT answer;

    (void)id, (void)locale, (void)wrong;
    if (parameters && parameters->cNamedArgs) return DISP_E_NONAMEDARGS;
    frame_begin(&frame, OP_INVOKE);
    put_u32(&frame, object_of(iface)->number);
    put_u32(&frame, (UINT32)member);
    put_u16(&frame, flags);
    put_u16(&frame, (UINT16)count);
    /* Arguments lie in DISPPARAMS from the last to the first. */
    for (i = 0; i < count; i++) put_variant(&frame, &parameters->rgvarg[count - 1 - i], 0);
    answer = exchange(&frame);
    if (answer == DISP_E_EXCEPTION) take_exception(&frame, exception);
    if (answer != S_OK) {
        frame_free(&frame);
        return answer;
    }
    get_variant(&frame, &value, 0);
    if (result) *result = value;
    else VariantClear(&value);
    for (i = get_u16(&frame); i; i--) {
        get_variant(&frame, &value, 0);
        if (!frame.failed && count && answer == S_OK) answer = hand_back(&parameters->rgvarg[--count], &value);
        VariantClear(&value);
    }
    if (frame.failed) answer = RPC_E_SERVER_DIED;
    if (answer != S_OK && result) VariantClear(result);
    frame_free(&frame);
    return answer;
}

static IDispatchVtbl object_functions = {
    object_QueryInterface, object_AddRef, object_Release, object_GetTypeInfoCount, object_GetTypeInfo, object_GetIDsOfNames, object_Invoke,
};

IDispatch *new_object(UINT32 number)
{
    struct object *object = HeapAlloc(GetProcessHeap(), 0, sizeof(*object));

    if (!object) {
        release_number(number);
        return NULL;
    }
    object->IDispatch_iface.lpVtbl = &object_functions;
    object->references = 1;
    object->number = number;
    return &object->IDispatch_iface;
}

static struct enumerator *enumerator_of(IEnumVARIANT *iface) { return CONTAINING_RECORD(iface, struct enumerator, IEnumVARIANT_iface); }

static HRESULT STDMETHODCALLTYPE enumerator_QueryInterface(IEnumVARIANT *iface, REFIID id, void **out)
{
    if (!out) return E_POINTER;
    *out = NULL;
    if (!IsEqualIID(id, &IID_IUnknown) && !IsEqualIID(id, &IID_IEnumVARIANT)) return E_NOINTERFACE;
    IEnumVARIANT_AddRef(iface);
    *out = iface;
    return S_OK;
}

static ULONG STDMETHODCALLTYPE enumerator_AddRef(IEnumVARIANT *iface) { return InterlockedIncrement(&enumerator_of(iface)->references); }

static ULONG STDMETHODCALLTYPE enumerator_Release(IEnumVARIANT *iface)
{
    struct enumerator *enumerator = enumerator_of(iface);
    ULONG left = InterlockedDecrement(&enumerator->references);

    if (left) return left;
    release_number(enumerator->number);
    HeapFree(GetProcessHeap(), 0, enumerator);
    return 0;
}

static HRESULT STDMETHODCALLTYPE enumerator_Next(IEnumVARIANT *iface, ULONG count, VARIANT *values, ULONG *fetched)
{
    HRESULT result = S_OK;
    ULONG i;

    if (fetched) *fetched = 0;
    for (i = 0; i < count && result == S_OK; i++) {
        struct frame frame;

        frame_begin(&frame, OP_NEXT);
        put_u32(&frame, enumerator_of(iface)->number);
        result = exchange(&frame);
        if (result == S_OK) {
            get_variant(&frame, &values[i], 0);
            if (fetched) ++*fetched;
        }
        frame_free(&frame);
    }
    return result;
}

static HRESULT STDMETHODCALLTYPE enumerator_Skip(IEnumVARIANT *iface, ULONG count)
{
    HRESULT result = S_OK;

    while (count-- && result == S_OK) {
        VARIANT value;

        result = enumerator_Next(iface, 1, &value, NULL);
        if (result == S_OK) VariantClear(&value);
    }
    return result;
}

static HRESULT STDMETHODCALLTYPE enumerator_Reset(IEnumVARIANT *iface)
{
    struct frame frame;
    HRESULT result;

    frame_begin(&frame, OP_RESET);
    put_u32(&frame, enumerator_of(iface)->number);
    result = exchange(&frame);
    frame_free(&frame);
    return result;
}

static HRESULT STDMETHODCALLTYPE enumerator_Clone(IEnumVARIANT *iface, IEnumVARIANT **out)
{
    (void)iface;
    *out = NULL;
    return E_NOTIMPL;
}

static IEnumVARIANTVtbl enumerator_functions = {
    enumerator_QueryInterface, enumerator_AddRef, enumerator_Release, enumerator_Next, enumerator_Skip, enumerator_Reset, enumerator_Clone,
};

IUnknown *new_enumerator(UINT32 number)
{
    struct enumerator *enumerator = HeapAlloc(GetProcessHeap(), 0, sizeof(*enumerator));

    if (!enumerator) {
        release_number(number);
        return NULL;
    }
    enumerator->IEnumVARIANT_iface.lpVtbl = &enumerator_functions;
    enumerator->references = 1;
    enumerator->number = number;
    return (IUnknown *)&enumerator->IEnumVARIANT_iface;
}
