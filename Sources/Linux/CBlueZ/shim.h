/* The headers of libbluetooth that the module BluetoothLE needs: addresses and the kernel's sockets. Nothing is linked.
   No code of ours. */
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/l2cap.h>
