// What the shims in Kotlin share: JSON lines on standard input and output, and operations by name.
package shim

import kotlinx.serialization.json.*

class Unsupported(reason: String) : Exception(reason)

fun JsonObject.text(name: String) = getValue(name).jsonPrimitive.content
fun JsonObject.number(name: String) = text(name).toLong()
fun JsonObject.bytes(name: String) = text(name).chunked(2).map { it.toInt(16).toByte() }.toByteArray()
fun ByteArray.hex() = joinToString("") { "%02x".format(it) }

/** Calls a private method of an object; what it throws is thrown. */
fun call(on: Any, name: String, vararg arguments: Any?): Any? = try {
    on::class.java.declaredMethods.first { it.name == name }.apply { isAccessible = true }.invoke(on, *arguments)
} catch (error: java.lang.reflect.InvocationTargetException) {
    throw error.targetException
}

/** A private field of an object. */
fun field(on: Any, name: String) = on::class.java.getDeclaredField(name).apply { isAccessible = true }

fun json(vararg members: Pair<String, Any?>): JsonObject = JsonObject(members.associate { (name, value) ->
    name to when (value) {
        is JsonElement -> value
        is List<*> -> JsonArray(value.map { JsonPrimitive(it as Int) })
        is ByteArray -> JsonPrimitive(value.hex())
        is Boolean? -> JsonPrimitive(value)
        is Number? -> JsonPrimitive(value)
        else -> JsonPrimitive(value.toString())
    }
})

/** Answers each operation of the runner with what its function makes of the input, or with its error. */
fun serve(name: String, operations: Map<String, (JsonObject) -> JsonObject>) {
    val names = JsonArray(operations.keys.map(::JsonPrimitive))
    println(json("type" to "hello", "shim" to 1, "name" to name, "roles" to JsonArray(listOf()), "features" to JsonArray(listOf()), "operations" to names))
    for (line in generateSequence(::readLine).map { Json.parseToJsonElement(it).jsonObject }.filter { it.text("type") == "run" }) {
        val answer = runCatching { operations.getValue(line.text("operation"))(line.getValue("input").jsonObject) }
        val error = answer.exceptionOrNull()
        println(
            if (error == null) json("type" to "result", "output" to answer.getOrThrow())
            else json("type" to if (error is Unsupported) "unsupported" else "error", "reason" to error))
    }
}
