import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The test vectors of the FIDO hybrid transport, and what runs them against an implementation on a Java virtual machine. It needs Java 17
 * and nothing else; the files are resources of the jar.
 *
 * <pre>
 * HybridVectors.run(Map.of("transport.unpad", input -> Map.of("message", ours.unpad((byte[]) input.get("padded")))), Map.of());
 * </pre>
 */
public final class HybridVectors {
    /** An operation of the implementation: takes the input's parts by name and returns what came out, bytes as byte[]; it throws to refuse. */
    public interface Operation {
        Map<String, Object> apply(Map<String, Object> input) throws Exception;
    }

    /** One case. What differs from what is expected is told in words. */
    public record Case(String id, String operation, String rule, String certainty, String failure, Map<String, Object> input,
                       Map<String, Object> expected, List<?> flags) {
        /** What is wrong with an implementation, or null. A refusal is right by its being one: its kind is the implementation's. */
        public String wrong(Operation operation) {
            Map<String, Object> found;
            try {
                found = operation.apply(input);
            } catch (Exception refusal) {
                return expected == null ? null : "it is refused: " + refusal;
            }
            if (expected == null) return "it is taken, and should be refused as " + failure;
            List<String> names = new ArrayList<>();
            for (String name : expected.keySet()) if (!same(found.get(name), expected.get(name))) names.add(name);
            return names.isEmpty() ? null : "another " + String.join(", ", names);
        }
    }

    private HybridVectors() {}

    /** All cases, in the order of their files. */
    public static List<Case> cases() {
        Map<String, Object> kinds = object(read("kinds.json"));
        List<Case> cases = new ArrayList<>();
        for (Object row : (List<?>) object(read("index.json")).get("files")) {
            for (Object each : (List<?>) object(read((String) object(row).get("file"))).get("cases")) {
                Map<String, Object> text = object(each);
                Map<String, Object> kind = object(kinds.get(text.get("operation")));
                cases.add(new Case((String) text.get("id"), (String) text.get("operation"), (String) text.get("rule"),
                        (String) text.get("certainty"), (String) text.get("failure"), bytes(text.get("input"), kind.get("input")),
                        text.containsKey("expected") ? bytes(text.get("expected"), kind.get("expected")) : null,
                        (List<?>) text.getOrDefault("flags", List.of())));
            }
        }
        return cases;
    }

    /**
     * Runs the cases of these operations, and prints what is wrong. A case that is expected to fail, by its ID with a reason, and does
     * not, is wrong too.
     *
     * @return how many were wrong.
     */
    public static int run(Map<String, Operation> operations, Map<String, String> expectedFailures) {
        Set<String> left = new java.util.TreeSet<>(expectedFailures.keySet());
        left.addAll(operations.keySet());
        int count = 0, wrong = 0;
        for (Case each : cases()) {
            Operation operation = operations.get(each.operation);
            if (operation == null) continue;
            left.removeAll(List.of(each.id, each.operation));
            count++;
            String reason = each.wrong(operation);
            boolean isExpected = expectedFailures.containsKey(each.id);
            if (reason == null != isExpected) continue;
            wrong++;
            System.out.println(each.id + ": " + (isExpected ? "it holds, and is expected to fail" : reason) + " (" + each.rule + ", "
                    + each.certainty + ")");
        }
        for (String name : left) System.out.println(name + ": no such operation or case");
        System.out.println(count + " cases, " + (wrong + left.size()) + " wrong");
        return wrong + left.size();
    }

    private static boolean same(Object found, Object expected) {
        if (expected instanceof byte[] bytes) return found instanceof byte[] other && java.util.Arrays.equals(bytes, other);
        if (expected instanceof Long number) return found instanceof Number other && other.longValue() == number;
        if (expected instanceof List<?> list) {
            if (!(found instanceof List<?> other) || other.size() != list.size()) return false;
            for (int i = 0; i < list.size(); i++) if (!same(other.get(i), list.get(i))) return false;
            return true;
        }
        if (expected instanceof Map<?, ?> map) {
            if (!(found instanceof Map<?, ?> other) || !other.keySet().equals(map.keySet())) return false;
            for (Object key : map.keySet()) if (!same(other.get(key), map.get(key))) return false;
            return true;
        }
        return java.util.Objects.equals(found, expected);
    }

    private static Object read(String name) {
        try (InputStream file = HybridVectors.class.getResourceAsStream("/hybrid_transport_vectors/" + name)) {
            return new JSON(new String(file.readAllBytes(), StandardCharsets.UTF_8)).whole();
        } catch (java.io.IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> object(Object value) { return (Map<String, Object>) value; }

    private static Map<String, Object> bytes(Object value, Object names) { return object(bytes(value, (List<?>) names, "")); }

    private static Object bytes(Object value, List<?> names, String name) {
        if (value instanceof Map<?, ?>) {
            Map<String, Object> changed = new LinkedHashMap<>();
            object(value).forEach((key, item) -> changed.put(key, bytes(item, names, key)));
            return changed;
        }
        if (value instanceof List<?> list) {
            List<Object> changed = new ArrayList<>();
            for (Object item : list) changed.add(bytes(item, names, name));
            return changed;
        }
        return value instanceof String digits && names.contains(name) ? HexFormat.of().parseHex(digits) : value;
    }

    /** A reader of JSON as these files have it: whole numbers alone. */
    private static final class JSON {
        private final String text;
        private int at;

        JSON(String text) { this.text = text; }

        Object whole() {
            Object value = value();
            if (next() != 0) throw wrong();
            return value;
        }

        private char next() {
            while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
            return at < text.length() ? text.charAt(at) : 0;
        }

        private IllegalArgumentException wrong() { return new IllegalArgumentException("no JSON at " + at); }

        private boolean takes(char wanted) {
            if (next() != wanted) return false;
            at++;
            return true;
        }

        private Object value() {
            if (takes('{')) {
                Map<String, Object> map = new LinkedHashMap<>();
                if (takes('}')) return map;
                do {
                    next();
                    String key = string();
                    if (!takes(':')) throw wrong();
                    map.put(key, value());
                } while (takes(','));
                if (!takes('}')) throw wrong();
                return map;
            }
            if (takes('[')) {
                List<Object> list = new ArrayList<>();
                if (takes(']')) return list;
                do list.add(value()); while (takes(','));
                if (!takes(']')) throw wrong();
                return list;
            }
            if (next() == '"') return string();
            int begin = at;
            while (at < text.length() && "+-.0123456789aeflnrstu".indexOf(text.charAt(at)) >= 0) at++;
            String word = text.substring(begin, at);
            return switch (word) {
                case "true" -> true;
                case "false" -> false;
                case "null" -> null;
                default -> Long.parseLong(word);
            };
        }

        private String string() {
            if (!takes('"')) throw wrong();
            StringBuilder built = new StringBuilder();
            while (true) {
                char character = text.charAt(at++);
                if (character == '"') return built.toString();
                if (character == '\\') {
                    character = text.charAt(at++);
                    switch (character) {
                        case 'b' -> character = '\b';
                        case 'f' -> character = '\f';
                        case 'n' -> character = '\n';
                        case 'r' -> character = '\r';
                        case 't' -> character = '\t';
                        case 'u' -> { character = (char) Integer.parseInt(text.substring(at, at + 4), 16); at += 4; }
                        default -> { }
                    }
                }
                built.append(character);
            }
        }
    }
}
