/** The frame of a screen: breadcrumb, heading, actions. The heading takes the focus on arrival. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { place } from '../state/place.ts';

interface PageProps {
  /** Also the title of the tab. */
  readonly title: string;
  /** Replaces the title when it is more than text. */
  readonly heading?: ComponentChildren;
  /** Addresses with the same value count as one screen and keep the focus. By default each address is a screen. */
  readonly screen?: string;
  /** Links to the screens above. */
  readonly trail?: readonly { readonly label: string; readonly href: string }[];
  readonly actions?: ComponentChildren;
  readonly tabs?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The first screen leaves the focus where the browser puts it. */
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
        <div class="spread page-title">
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

/** Links between the screens of one thing. */
export const Tabs = ({ label, tabs }: TabsProps): JSX.Element => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ label: name, href, isCurrent }) => (
      <a key={href} href={href} aria-current={isCurrent ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </nav>
);
