/** A list, and beside it what is chosen of it; on a narrow screen one of the two. */
import type { ComponentChildren } from 'preact';

interface PanesProps {
  readonly list: ComponentChildren;
  /** undefined: nothing is chosen. */
  readonly detail: ComponentChildren;
  /** Says so. */
  readonly none: string;
  /** From the detail to the list. */
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
