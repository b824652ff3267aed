// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import CLinux

// The functions of sd-bus that are called, by its own names: sd-bus(3). The loop of a connection, which is the first to
// call one, has made sure that the library is there.

let sd_bus_call_async: sd_bus_call_async_function = SystemdLibrary.function("sd_bus_call_async")
let sd_bus_close_unref: sd_bus_close_unref_function = SystemdLibrary.function("sd_bus_close_unref")
let sd_bus_error_free: sd_bus_error_free_function = SystemdLibrary.function("sd_bus_error_free")
let sd_bus_error_set: sd_bus_error_set_function = SystemdLibrary.function("sd_bus_error_set")
let sd_bus_get_events: sd_bus_get_events_function = SystemdLibrary.function("sd_bus_get_events")
let sd_bus_get_fd: sd_bus_get_fd_function = SystemdLibrary.function("sd_bus_get_fd")
let sd_bus_get_timeout: sd_bus_get_timeout_function = SystemdLibrary.function("sd_bus_get_timeout")
let sd_bus_is_open: sd_bus_is_open_function = SystemdLibrary.function("sd_bus_is_open")
let sd_bus_is_ready: sd_bus_is_ready_function = SystemdLibrary.function("sd_bus_is_ready")
let sd_bus_message_append_array: sd_bus_message_append_array_function =
    SystemdLibrary.function("sd_bus_message_append_array")
let sd_bus_message_append_basic: sd_bus_message_append_basic_function =
    SystemdLibrary.function("sd_bus_message_append_basic")
let sd_bus_message_close_container: sd_bus_message_close_container_function =
    SystemdLibrary.function("sd_bus_message_close_container")
let sd_bus_message_enter_container: sd_bus_message_enter_container_function =
    SystemdLibrary.function("sd_bus_message_enter_container")
let sd_bus_message_exit_container: sd_bus_message_exit_container_function =
    SystemdLibrary.function("sd_bus_message_exit_container")
let sd_bus_message_get_error: sd_bus_message_get_error_function = SystemdLibrary.function("sd_bus_message_get_error")
let sd_bus_message_get_expect_reply: sd_bus_message_get_expect_reply_function =
    SystemdLibrary.function("sd_bus_message_get_expect_reply")
let sd_bus_message_get_interface: sd_bus_message_get_interface_function =
    SystemdLibrary.function("sd_bus_message_get_interface")
let sd_bus_message_get_member: sd_bus_message_get_member_function = SystemdLibrary.function("sd_bus_message_get_member")
let sd_bus_message_get_path: sd_bus_message_get_path_function = SystemdLibrary.function("sd_bus_message_get_path")
let sd_bus_message_get_sender: sd_bus_message_get_sender_function = SystemdLibrary.function("sd_bus_message_get_sender")
let sd_bus_message_get_signature: sd_bus_message_get_signature_function =
    SystemdLibrary.function("sd_bus_message_get_signature")
let sd_bus_message_get_type: sd_bus_message_get_type_function = SystemdLibrary.function("sd_bus_message_get_type")
let sd_bus_message_new_method_call: sd_bus_message_new_method_call_function =
    SystemdLibrary.function("sd_bus_message_new_method_call")
let sd_bus_message_new_method_error: sd_bus_message_new_method_error_function =
    SystemdLibrary.function("sd_bus_message_new_method_error")
let sd_bus_message_new_method_return: sd_bus_message_new_method_return_function =
    SystemdLibrary.function("sd_bus_message_new_method_return")
let sd_bus_message_new_signal: sd_bus_message_new_signal_function = SystemdLibrary.function("sd_bus_message_new_signal")
let sd_bus_message_open_container: sd_bus_message_open_container_function =
    SystemdLibrary.function("sd_bus_message_open_container")
let sd_bus_message_peek_type: sd_bus_message_peek_type_function = SystemdLibrary.function("sd_bus_message_peek_type")
let sd_bus_message_read_array: sd_bus_message_read_array_function = SystemdLibrary.function("sd_bus_message_read_array")
let sd_bus_message_read_basic: sd_bus_message_read_basic_function = SystemdLibrary.function("sd_bus_message_read_basic")
let sd_bus_message_ref: sd_bus_message_ref_function = SystemdLibrary.function("sd_bus_message_ref")
let sd_bus_message_rewind: sd_bus_message_rewind_function = SystemdLibrary.function("sd_bus_message_rewind")
let sd_bus_message_set_auto_start: sd_bus_message_set_auto_start_function =
    SystemdLibrary.function("sd_bus_message_set_auto_start")
let sd_bus_message_skip: sd_bus_message_skip_function = SystemdLibrary.function("sd_bus_message_skip")
let sd_bus_message_unref: sd_bus_message_unref_function = SystemdLibrary.function("sd_bus_message_unref")
let sd_bus_new: sd_bus_new_function = SystemdLibrary.function("sd_bus_new")
let sd_bus_process: sd_bus_process_function = SystemdLibrary.function("sd_bus_process")
let sd_bus_send: sd_bus_send_function = SystemdLibrary.function("sd_bus_send")
let sd_bus_set_address: sd_bus_set_address_function = SystemdLibrary.function("sd_bus_set_address")
let sd_bus_set_anonymous: sd_bus_set_anonymous_function = SystemdLibrary.function("sd_bus_set_anonymous")
let sd_bus_set_bus_client: sd_bus_set_bus_client_function = SystemdLibrary.function("sd_bus_set_bus_client")
let sd_bus_slot_unref: sd_bus_slot_unref_function = SystemdLibrary.function("sd_bus_slot_unref")
let sd_bus_start: sd_bus_start_function = SystemdLibrary.function("sd_bus_start")
