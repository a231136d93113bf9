package simulator

import "slices"

// methods are the methods of Win32_EncryptableVolume that the machine has: those that tell a
// state, those that hand out secrets, and those that change a volume. The order of parameters is
// that of each method's page.
var methods = slices.Concat(stateMethods, protectorMethods, changingMethods)
