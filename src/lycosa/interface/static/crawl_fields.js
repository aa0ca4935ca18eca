// Forms about crawls: what is wrong is said beside the field it is about, and the field is shown and focused.

// Forget what was wrong before.
export function clear(form) {
  for (const told of form.querySelectorAll("[data-fault]")) told.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-errormessage");
  }
}

// Say what is wrong with a field. Returns false, so that a check can end with it.
export function fault(field, sentence) {
  for (let around = field.parentElement; around; around = around.parentElement) {
    if (around.tagName === "DETAILS") around.open = true;
    if (around.hidden) around.hidden = false;
  }
  const told = document.createElement("p");
  told.className = "trouble";
  told.id = `${field.id}-fault`;
  told.dataset.fault = "";
  told.setAttribute("role", "alert");
  told.textContent = sentence;
  field.after(told);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-errormessage", told.id);
  field.focus();
  return false;
}

// The lines of a field that are not empty.
export function lines(field) {
  return field.value.split("\n").map((line) => line.trim()).filter(Boolean);
}

// Do something once, however often its buttons are pressed meanwhile; the focus stays where it is.
export async function once(buttons, work) {
  if (buttons.some((button) => button.getAttribute("aria-disabled"))) return null;
  for (const button of buttons) button.setAttribute("aria-disabled", "true");
  try {
    return await work();
  } finally {
    for (const button of buttons) button.removeAttribute("aria-disabled");
  }
}
