/** The frame of a screen: where it is, its heading, its actions. The heading gets the focus when one arrives. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { place } from '../state/place.ts';

interface PageProps {
  /** Also the title of the tab. */
  readonly title: string;
  /** In place of the title, when it is more than text. */
  readonly heading?: ComponentChildren;
  /** Addresses of the same screen leave the focus where it is. Without it, each address is a screen. */
  readonly screen?: string;
  /** The way back: links to the screens above. */
  readonly trail?: readonly { readonly label: string; readonly href: string }[];
  readonly actions?: ComponentChildren;
  readonly tabs?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The first screen keeps the focus where the browser has it. */
let arrivedAt: string | undefined;

export function Page({ title, heading, screen, trail = [], actions, tabs, children }: PageProps): JSX.Element {
  const head = useRef<HTMLHeadingElement>(null);
  const at = screen ?? place.value.path.join('/');
  useEffect(() => {
    document.title = `${title} · Switchyard`;
    if (arrivedAt !== undefined && arrivedAt !== at) head.current?.focus();
    arrivedAt = at;
  }, [title, at]);
  return (
    <>
      <header class="page-head">
        {trail.length > 0 && (
          <nav class="trail" aria-label="Breadcrumb">
            {trail.map(({ label, href }) => (
              <a key={href} href={href}>
                {label}
              </a>
            ))}
          </nav>
        )}
        <div class="page-title">
          <h1 ref={head} tabIndex={-1}>
            {heading ?? title}
          </h1>
          <div class="row">{actions}</div>
        </div>
        {tabs}
      </header>
      <div class="page-content">{children}</div>
    </>
  );
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly label: ComponentChildren; readonly href: string; readonly isCurrent: boolean }[];
}

/** Links to the screens of one thing. */
export const Tabs = ({ label, tabs }: TabsProps): JSX.Element => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ label: name, href, isCurrent }) => (
      <a key={href} href={href} aria-current={isCurrent ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </nav>
);
