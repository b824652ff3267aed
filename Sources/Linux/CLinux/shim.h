/* Libraries that LinuxSupport calls. No code of ours.

   Of libsystemd, sd-bus, its D-Bus client, and sd-daemon. The library is loaded when it is first called (SystemdLibrary):
   of its functions only the types are used, name_function for the function name.

   Of the C library, gettext, and wcwidth of POSIX, which the module Glibc does not have. */
#include <libintl.h>
#include <wchar.h>
int wcwidth(wchar_t character);
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

#define TYPE_OF(name) typedef __typeof__(&name) name##_function

TYPE_OF(sd_listen_fds);
TYPE_OF(sd_notify);
TYPE_OF(sd_watchdog_enabled);
TYPE_OF(sd_bus_call_async);
TYPE_OF(sd_bus_close_unref);
TYPE_OF(sd_bus_error_free);
TYPE_OF(sd_bus_error_set);
TYPE_OF(sd_bus_get_events);
TYPE_OF(sd_bus_get_fd);
TYPE_OF(sd_bus_get_timeout);
TYPE_OF(sd_bus_is_open);
TYPE_OF(sd_bus_is_ready);
TYPE_OF(sd_bus_message_append_array);
TYPE_OF(sd_bus_message_append_basic);
TYPE_OF(sd_bus_message_close_container);
TYPE_OF(sd_bus_message_enter_container);
TYPE_OF(sd_bus_message_exit_container);
TYPE_OF(sd_bus_message_get_error);
TYPE_OF(sd_bus_message_get_expect_reply);
TYPE_OF(sd_bus_message_get_interface);
TYPE_OF(sd_bus_message_get_member);
TYPE_OF(sd_bus_message_get_path);
TYPE_OF(sd_bus_message_get_sender);
TYPE_OF(sd_bus_message_get_signature);
TYPE_OF(sd_bus_message_get_type);
TYPE_OF(sd_bus_message_new_method_call);
TYPE_OF(sd_bus_message_new_method_error);
TYPE_OF(sd_bus_message_new_method_return);
TYPE_OF(sd_bus_message_new_signal);
TYPE_OF(sd_bus_message_open_container);
TYPE_OF(sd_bus_message_peek_type);
TYPE_OF(sd_bus_message_read_array);
TYPE_OF(sd_bus_message_read_basic);
TYPE_OF(sd_bus_message_ref);
TYPE_OF(sd_bus_message_rewind);
TYPE_OF(sd_bus_message_set_auto_start);
TYPE_OF(sd_bus_message_skip);
TYPE_OF(sd_bus_message_unref);
TYPE_OF(sd_bus_new);
TYPE_OF(sd_bus_process);
TYPE_OF(sd_bus_send);
TYPE_OF(sd_bus_set_address);
TYPE_OF(sd_bus_set_anonymous);
TYPE_OF(sd_bus_set_bus_client);
TYPE_OF(sd_bus_slot_unref);
TYPE_OF(sd_bus_start);

#undef TYPE_OF
