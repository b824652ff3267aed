/* The types, constants and functions of libnats that are used: TYPE(name, type), CONSTANT(type, name, value) and
   FUNCTION(type, name, (parameters), (arguments)). Who includes this says what these mean: nats.h declares them,
   libraries.c looks for the functions, and the tests compare all with the installed headers.
   Source: the documentation of nats.c 3.4, unchanged up to 3.13. */
TYPE(natsConnectionHandler, void (*)(natsConnection *connection, void *closure))
TYPE(natsErrHandler, void (*)(natsConnection *connection, natsSubscription *subscription, natsStatus status,
                              void *closure))
TYPE(natsMsgHandler, void (*)(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                              void *closure))
TYPE(natsOnCompleteCB, void (*)(void *closure))

CONSTANT(natsStatus, NATS_OK, 0)
CONSTANT(natsStatus, NATS_NOT_YET_CONNECTED, 31)
CONSTANT(natsConnStatus, NATS_CONN_STATUS_CONNECTED, 2)

FUNCTION(void, natsConnection_Close, (natsConnection *connection), (connection))
FUNCTION(natsStatus, natsConnection_Connect, (natsConnection **connection, natsOptions *options), (connection, options))
FUNCTION(void, natsConnection_Destroy, (natsConnection *connection), (connection))
FUNCTION(natsStatus, natsConnection_Publish,
         (natsConnection *connection, const char *subject, const void *data, int count),
         (connection, subject, data, count))
FUNCTION(natsStatus, natsConnection_PublishRequest,
         (natsConnection *connection, const char *subject, const char *reply, const void *data, int count),
         (connection, subject, reply, data, count))
FUNCTION(natsConnStatus, natsConnection_Status, (natsConnection *connection), (connection))
FUNCTION(natsStatus, natsConnection_Subscribe,
         (natsSubscription **subscription, natsConnection *connection, const char *subject, natsMsgHandler callback,
          void *closure),
         (subscription, connection, subject, callback, closure))
FUNCTION(void, natsMsg_Destroy, (natsMsg *message), (message))
FUNCTION(const char *, natsMsg_GetData, (const natsMsg *message), (message))
FUNCTION(int, natsMsg_GetDataLength, (const natsMsg *message), (message))
FUNCTION(const char *, natsMsg_GetReply, (const natsMsg *message), (message))
FUNCTION(const char *, natsMsg_GetSubject, (const natsMsg *message), (message))
FUNCTION(bool, natsMsg_IsNoResponders, (natsMsg *message), (message))
FUNCTION(natsStatus, natsOptions_Create, (natsOptions **options), (options))
FUNCTION(void, natsOptions_Destroy, (natsOptions *options), (options))
FUNCTION(natsStatus, natsOptions_LoadCATrustedCertificates, (natsOptions *options, const char *path), (options, path))
FUNCTION(natsStatus, natsOptions_SetClosedCB, (natsOptions *options, natsConnectionHandler callback, void *closure),
         (options, callback, closure))
FUNCTION(natsStatus, natsOptions_SetDisconnectedCB,
         (natsOptions *options, natsConnectionHandler callback, void *closure),
         (options, callback, closure))
FUNCTION(natsStatus, natsOptions_SetErrorHandler, (natsOptions *options, natsErrHandler callback, void *closure),
         (options, callback, closure))
FUNCTION(natsStatus, natsOptions_SetMaxPingsOut, (natsOptions *options, int count), (options, count))
FUNCTION(natsStatus, natsOptions_SetMaxReconnect, (natsOptions *options, int count), (options, count))
FUNCTION(natsStatus, natsOptions_SetName, (natsOptions *options, const char *name), (options, name))
FUNCTION(natsStatus, natsOptions_SetNoEcho, (natsOptions *options, bool value), (options, value))
FUNCTION(natsStatus, natsOptions_SetNoRandomize, (natsOptions *options, bool value), (options, value))
FUNCTION(natsStatus, natsOptions_SetPingInterval, (natsOptions *options, int64_t milliseconds), (options, milliseconds))
FUNCTION(natsStatus, natsOptions_SetReconnectWait, (natsOptions *options, int64_t milliseconds),
         (options, milliseconds))
FUNCTION(natsStatus, natsOptions_SetReconnectedCB,
         (natsOptions *options, natsConnectionHandler callback, void *closure),
         (options, callback, closure))
FUNCTION(natsStatus, natsOptions_SetRetryOnFailedConnect,
         (natsOptions *options, bool value, natsConnectionHandler callback, void *closure),
         (options, value, callback, closure))
FUNCTION(natsStatus, natsOptions_SetServers, (natsOptions *options, const char **servers, int count),
         (options, servers, count))
FUNCTION(natsStatus, natsOptions_SetTimeout, (natsOptions *options, int64_t milliseconds), (options, milliseconds))
FUNCTION(natsStatus, natsOptions_SetUserInfo, (natsOptions *options, const char *user, const char *password),
         (options, user, password))
FUNCTION(natsStatus, natsOptions_UseGlobalMessageDelivery, (natsOptions *options, bool value), (options, value))
FUNCTION(const char *, natsStatus_GetText, (natsStatus status), (status))
FUNCTION(void, natsSubscription_Destroy, (natsSubscription *subscription), (subscription))
FUNCTION(natsStatus, natsSubscription_SetOnCompleteCB,
         (natsSubscription *subscription, natsOnCompleteCB callback, void *closure),
         (subscription, callback, closure))
FUNCTION(natsStatus, natsSubscription_Unsubscribe, (natsSubscription *subscription), (subscription))
