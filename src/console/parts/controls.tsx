/** Buttons and fields. Lengths and colours are in styles/. */
import { createContext, type ComponentChildren } from 'preact';
import { useContext, useId } from 'preact/hooks';

/** Whether the fields within are shown, and not edited. */
export const ReadOnly = createContext(false);

export const useReadOnly = (): boolean => useContext(ReadOnly);

interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: (event: MouseEvent) => void;
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  /** While a request runs, a second click does nothing. */
  readonly busy?: boolean;
  readonly disabled?: boolean;
  /** For a button with a symbol as its content. */
  readonly label?: string;
  readonly pressed?: boolean;
  readonly expanded?: boolean;
  /** Removed from the tab order: rows of a list share one tab stop. */
  readonly skipped?: boolean;
}

export const Button = (props: ButtonProps): JSX.Element => (
  <button
    type={props.type ?? 'button'}
    class={`button ${props.kind ?? 'plain'}`}
    disabled={props.disabled ?? false}
    aria-disabled={props.busy}
    aria-busy={props.busy}
    aria-label={props.label}
    title={props.label}
    aria-pressed={props.pressed}
    aria-expanded={props.expanded}
    tabIndex={props.skipped === true ? -1 : undefined}
    onClick={(event) => {
      if (props.busy === true) event.preventDefault();
      else props.onClick?.(event);
    }}
  >
    {props.children}
  </button>
);

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  /** For screen readers only. */
  readonly hiddenLabel?: boolean;
}

/** A label, a hint and an error around one control, which receives their ids. */
export function Field(
  props: FieldProps & {
    readonly children: (ids: {
      id: string;
      'aria-describedby': string | undefined;
      'aria-invalid': boolean;
    }) => JSX.Element;
  },
): JSX.Element {
  const id = useId();
  const described = [props.hint !== undefined && `${id}-hint`, props.error !== undefined && `${id}-error`].filter(
    Boolean,
  );
  return (
    <div class="field">
      <label for={id} class={props.hiddenLabel === true ? 'visually-hidden' : undefined}>
        {props.label}
      </label>
      {props.children({
        id,
        'aria-describedby': described.length === 0 ? undefined : described.join(' '),
        'aria-invalid': props.error !== undefined,
      })}
      {props.hint !== undefined && (
        <span id={`${id}-hint`} class="hint">
          {props.hint}
        </span>
      )}
      {props.error !== undefined && (
        <span id={`${id}-error`} class="error">
          {props.error}
        </span>
      )}
    </div>
  );
}

interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** Called when the field loses the focus, or on Enter. */
  readonly onCommit?: (() => void) | undefined;
  readonly type?: 'text' | 'number' | 'password' | 'search' | 'url';
  readonly placeholder?: string;
  readonly monospace?: boolean;
  readonly rows?: number | undefined;
  readonly takesFocus?: boolean;
  /** The target of "/"; one per screen. */
  readonly isFind?: boolean;
  readonly suggestions?: readonly string[] | undefined;
  readonly inputClass?: string;
}

export function TextField(props: TextFieldProps): JSX.Element {
  const list = useId();
  const readOnly = useReadOnly();
  return (
    <Field label={props.label} hint={props.hint} error={props.error} hiddenLabel={props.hiddenLabel ?? false}>
      {(ids) => {
        const shared = {
          ...ids,
          class: `${props.monospace === true ? 'monospace ' : ''}${props.inputClass ?? ''}`,
          value: props.value,
          placeholder: props.placeholder,
          readOnly,
          autocomplete: 'off' as const,
          spellcheck: false,
          'data-find': props.isFind === true ? '' : undefined,
          'data-takes-focus': props.takesFocus === true ? '' : undefined,
          onInput: (event: { currentTarget: { value: string } }) => props.onInput(event.currentTarget.value),
          onBlur: () => props.onCommit?.(),
        };
        if (props.rows !== undefined) return <textarea {...shared} rows={props.rows} />;
        const { suggestions } = props;
        return (
          <>
            <input
              {...shared}
              // The types of `input` decide which kinds take suggestions.
              {...({ type: props.type ?? 'text', list: suggestions && list } as { type: 'text' })}
              ref={props.takesFocus === true ? focusOnce : null}
              onKeyDown={(event) => {
                if (event.key === 'Enter') props.onCommit?.();
              }}
            />
            {suggestions !== undefined && (
              <datalist id={list}>
                {suggestions.map((suggestion) => (
                  <option key={suggestion} value={suggestion} />
                ))}
              </datalist>
            )}
          </>
        );
      }}
    </Field>
  );
}

/** `autofocus` works only in a page's own HTML, and in an opening dialog. */
function focusOnce(input: HTMLInputElement | null): void {
  if (input === null) return;
  input.autofocus = true;
  input.focus();
}

interface SelectFieldProps<Value extends string> extends FieldProps {
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, label: string])[];
  readonly onChange: (value: Value) => void;
}

export function SelectField<Value extends string>(props: SelectFieldProps<Value>): JSX.Element {
  const isReadOnly = useReadOnly();
  return (
    <Field label={props.label} hint={props.hint} error={props.error} hiddenLabel={props.hiddenLabel ?? false}>
      {(ids) => (
        <select
          {...ids}
          value={props.value}
          disabled={isReadOnly}
          onChange={(event) => props.onChange(event.currentTarget.value as Value)}
        >
          {props.options.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckProps {
  readonly label: ComponentChildren;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
  /** Rendered and announced as a switch: it takes effect at once. */
  readonly asSwitch?: boolean;
  readonly hiddenLabel?: boolean;
}

export function Check(props: CheckProps): JSX.Element {
  const isReadOnly = useReadOnly();
  return (
    <label class={props.asSwitch === true ? 'check switch' : 'check'}>
      <input
        type="checkbox"
        role={props.asSwitch === true ? 'switch' : undefined}
        checked={props.checked}
        disabled={props.disabled ?? isReadOnly}
        onChange={(event) => {
          const { checked } = event.currentTarget;
          // A switch shows the server's state: it moves with the answer.
          event.currentTarget.checked = props.checked;
          props.onChange(checked);
        }}
      />
      <span class={props.hiddenLabel === true ? 'visually-hidden' : undefined}>{props.label}</span>
    </label>
  );
}

interface FormProps {
  readonly class?: string;
  /** Without it, nothing happens: a form that saves when a field is left. */
  readonly onSubmit?: () => void;
  readonly 'aria-labelledby'?: string;
  readonly children: ComponentChildren;
}

export const Form = ({ class: look = 'stack', onSubmit, ...props }: FormProps): JSX.Element => (
  <form
    {...props}
    class={look}
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit?.();
    }}
  />
);
