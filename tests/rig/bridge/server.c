/* The class objects of the library
   (https://learn.microsoft.com/windows/win32/api/combaseapi/nf-combaseapi-dllgetclassobject). */
#include "bridge.h"

/* WbemScripting.SWbemLocator and Shell.Application. */
DEFINE_GUID(CLSID_Locator, 0x76a64158, 0xcb41, 0x11d1, 0x8b, 0x02, 0x00, 0x60, 0x08, 0x06, 0xd9, 0xb6);
DEFINE_GUID(CLSID_ShellApplication, 0x13709620, 0xc279, 0x11ce, 0xa4, 0x9e, 0x44, 0x45, 0x53, 0x54, 0x00, 0x00);

struct factory {
    IClassFactory IClassFactory_iface;
    const CLSID *class;
};

static HRESULT STDMETHODCALLTYPE factory_QueryInterface(IClassFactory *iface, REFIID id, void **out)
{
    *out = NULL;
    if (!IsEqualIID(id, &IID_IUnknown) && !IsEqualIID(id, &IID_IClassFactory)) return E_NOINTERFACE;
    *out = iface;
    return S_OK;
}

/* The class objects live as long as the library. */
static ULONG STDMETHODCALLTYPE factory_AddRef(IClassFactory *iface) { (void)iface; return 2; }
static ULONG STDMETHODCALLTYPE factory_Release(IClassFactory *iface) { (void)iface; return 1; }
static HRESULT STDMETHODCALLTYPE factory_LockServer(IClassFactory *iface, BOOL locked) { (void)iface, (void)locked; return S_OK; }

static HRESULT STDMETHODCALLTYPE factory_CreateInstance(IClassFactory *iface, IUnknown *outer, REFIID id, void **out)
{
    const CLSID *class = CONTAINING_RECORD(iface, struct factory, IClassFactory_iface)->class;
    WCHAR text[40];
    struct frame frame;
    IDispatch *made;
    HRESULT result;

    *out = NULL;
    if (outer) return CLASS_E_NOAGGREGATION;
    frame_begin(&frame, OP_CREATE);
    put_text(&frame, text, (UINT32)StringFromGUID2(class, text, ARRAYSIZE(text)) - 1);
    result = exchange(&frame);
    if (result != S_OK) {
        frame_free(&frame);
        return result;
    }
    made = new_object(get_u32(&frame));
    frame_free(&frame);
    if (!made) return E_OUTOFMEMORY;
    result = IDispatch_QueryInterface(made, id, out);
    IDispatch_Release(made);
    return result;
}

static IClassFactoryVtbl factory_functions = {
    factory_QueryInterface, factory_AddRef, factory_Release, factory_CreateInstance, factory_LockServer,
};

static struct factory factories[] = {
    {{&factory_functions}, &CLSID_Locator},
    {{&factory_functions}, &CLSID_ShellApplication},
};

HRESULT WINAPI DllGetClassObject(REFCLSID class, REFIID id, void **out)
{
    UINT i;

    *out = NULL;
    for (i = 0; i < ARRAYSIZE(factories); i++)
        if (IsEqualCLSID(class, factories[i].class))
            return IClassFactory_QueryInterface(&factories[i].IClassFactory_iface, id, out);
    return CLASS_E_CLASSNOTAVAILABLE;
}

/* The connections outlive COM in the program, so the library is never unloaded. */
HRESULT WINAPI DllCanUnloadNow(void) { return S_FALSE; }

BOOL WINAPI DllMain(HINSTANCE library, DWORD reason, void *reserved)
{
    HMODULE pinned;

    (void)reserved;
    if (reason == DLL_PROCESS_ATTACH) {
        DisableThreadLibraryCalls(library);
        return GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, (const WCHAR *)library, &pinned);
    }
    return TRUE;
}
