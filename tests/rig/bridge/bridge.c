/* The whole library in one unit: Windows' headers take longer to compile than all that follows. */
#include <initguid.h>
#include "frame.c"
#include "variant.c"
#include "connection.c"
#include "object.c"
#include "server.c"
