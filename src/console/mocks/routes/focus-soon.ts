/** Puts the focus where it belongs after a row has come or gone: once the page shows it. */
export function focusSoon(find: () => Element | null | undefined): void {
  requestAnimationFrame(() => {
    const element = find();
    const control = element?.querySelector('input, select, textarea, button') ?? element;
    if (control instanceof HTMLElement) control.focus();
  });
}
