/* Has the list that is included next declare types and constants, and functions that call those of a library by the
   pointers that its load function has found. */
#define TYPE(name, type) typedef __typeof__(type) name;
#define CONSTANT(type, name, value) static const type name = value;
#define FUNCTION(type, name, parameters, arguments)                                                                   \
    extern type (*name##_pointer) parameters;                                                                         \
    static inline type name parameters { return name##_pointer arguments; }
