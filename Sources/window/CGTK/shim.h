/* GTK 4 and gettext, for hybrid-window, and calls of its functions with variable arguments, which Swift cannot make. */
#include <glib-unix.h>
#include <gtk/gtk.h>
#include <libintl.h>

/* Names a widget for assistive technology. */
static inline void window_set_accessible_name(GtkWidget *widget, const char *name) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

/* Names a widget by the text of another. */
static inline void window_set_labelled_by(GtkWidget *widget, GtkWidget *label) {
    gtk_accessible_update_relation(
        GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL, -1);
}

/* Marks the contents of an entry as refused. */
static inline void window_set_invalid(GtkWidget *widget, gboolean invalid) {
    gtk_accessible_update_state(
        GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_INVALID,
        invalid ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE, -1);
}

/* Gives a widget its role, before it is shown. */
static inline void window_set_role(GtkWidget *widget, GtkAccessibleRole role) {
    g_object_set(widget, "accessible-role", role, NULL);
}
