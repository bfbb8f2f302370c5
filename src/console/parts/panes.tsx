/** A list with the selected item beside it; a narrow screen shows one of the two. */
import { signal, type ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

const media = matchMedia('(min-width: 1024px)');
const isWideNow = signal(media.matches);
media.addEventListener('change', () => (isWideNow.value = media.matches));

/** Whether list and detail fit side by side. */
export const isWide: ReadonlySignal<boolean> = isWideNow;

interface PanesProps {
  readonly list: ComponentChildren;
  /** undefined: nothing is selected. */
  readonly detail: ComponentChildren;
  /** The text in place of the detail. */
  readonly none: string;
  /** The link from the detail to the list. */
  readonly back: { readonly label: string; readonly href: string };
}

export const Panes = ({ list, detail, none, back }: PanesProps): JSX.Element => (
  <div class={detail === undefined ? 'list-detail' : 'list-detail open'}>
    <div class="column pane-list">{list}</div>
    {detail === undefined ? (
      <p class="muted pane-none">{none}</p>
    ) : (
      <div class="column pane-detail">
        <a class="pane-back" href={back.href}>
          ← {back.label}
        </a>
        {detail}
      </div>
    )}
  </div>
);
