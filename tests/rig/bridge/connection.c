/* The connections to the simulator: one for each call that is under way, kept for the next. A
   call that hangs in one keeps no other from coming through. */
#include "bridge.h"
#include <stdlib.h>

#define KEPT_MOST 16

static CRITICAL_SECTION lock;
static SOCKET kept[KEPT_MOST];
static int kept_count;
static INIT_ONCE prepared = INIT_ONCE_STATIC_INIT;

static BOOL CALLBACK prepare(INIT_ONCE *once, void *parameter, void **context)
{
    WSADATA data;

    (void)once, (void)parameter, (void)context;
    InitializeCriticalSection(&lock);
    return WSAStartup(MAKEWORD(2, 2), &data) == 0;
}

static BOOL send_all(SOCKET connection, const BYTE *bytes, UINT32 length)
{
    while (length) {
        int sent = send(connection, (const char *)bytes, length, 0);
        if (sent <= 0) return FALSE;
        bytes += sent;
        length -= sent;
    }
    return TRUE;
}

static BOOL receive_all(SOCKET connection, BYTE *bytes, UINT32 length)
{
    while (length) {
        int received = recv(connection, (char *)bytes, length, 0);
        if (received <= 0) return FALSE;
        bytes += received;
        length -= received;
    }
    return TRUE;
}

/* trade sends the frame and receives the answer into it. */
static BOOL trade(SOCKET connection, struct frame *frame)
{
    UINT32 length = frame->length;
    BYTE *bytes;

    if (frame->failed || !send_all(connection, (BYTE *)&length, sizeof(length)) || !send_all(connection, frame->bytes, length))
        return FALSE;
    if (!receive_all(connection, (BYTE *)&length, sizeof(length)) || length > FRAME_MOST) return FALSE;
    bytes = HeapAlloc(GetProcessHeap(), 0, length ? length : 1);
    if (!bytes) return FALSE;
    if (!receive_all(connection, bytes, length)) {
        HeapFree(GetProcessHeap(), 0, bytes);
        return FALSE;
    }
    frame_free(frame);
    frame->bytes = bytes;
    frame->length = frame->room = length;
    return TRUE;
}

/* connect_to_simulator opens a connection and says who speaks. */
static SOCKET connect_to_simulator(void)
{
    char address[64], *port;
    DWORD length = GetEnvironmentVariableA(ADDRESS_VARIABLE, address, sizeof(address));
    struct sockaddr_in to = {0};
    struct frame hello;
    SOCKET connection;
    int one = 1;
    BOOL greeted;

    if (!length || length >= sizeof(address) || !(port = strrchr(address, ':'))) return INVALID_SOCKET;
    *port++ = 0;
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = inet_addr(address);
    to.sin_port = htons((u_short)atoi(port));
    connection = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
    if (connection == INVALID_SOCKET) return INVALID_SOCKET;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, (char *)&one, sizeof(one));
    frame_begin(&hello, OP_HELLO);
    put_u32(&hello, GetCurrentProcessId());
    greeted = connect(connection, (struct sockaddr *)&to, sizeof(to)) == 0 && trade(connection, &hello);
    frame_free(&hello);
    if (greeted) return connection;
    closesocket(connection);
    return INVALID_SOCKET;
}

static SOCKET take(void)
{
    SOCKET connection = INVALID_SOCKET;

    EnterCriticalSection(&lock);
    if (kept_count) connection = kept[--kept_count];
    LeaveCriticalSection(&lock);
    return connection == INVALID_SOCKET ? connect_to_simulator() : connection;
}

static void keep(SOCKET connection)
{
    BOOL room;

    EnterCriticalSection(&lock);
    room = kept_count < KEPT_MOST;
    if (room) kept[kept_count++] = connection;
    LeaveCriticalSection(&lock);
    if (!room) closesocket(connection);
}

HRESULT exchange(struct frame *frame)
{
    SOCKET connection;
    HRESULT result;

    if (frame->failed || !InitOnceExecuteOnce(&prepared, prepare, NULL, NULL)) return RPC_E_SERVER_DIED;
    connection = take();
    if (connection == INVALID_SOCKET) return RPC_E_SERVER_DIED;
    if (!trade(connection, frame)) {
        closesocket(connection);
        return RPC_E_SERVER_DIED;
    }
    keep(connection);
    result = (HRESULT)get_u32(frame);
    return frame->failed ? RPC_E_SERVER_DIED : result;
}
