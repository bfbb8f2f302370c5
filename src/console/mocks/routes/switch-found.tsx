/** Switches the routes that the filter has found: all of them at once. */
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../../parts/controls.tsx';
import { focusSoon } from './focus-soon.ts';
import { countOfRoutes } from './route-words.ts';

interface SwitchFoundProps {
  /** At least one. */
  readonly routeIds: readonly string[];
  readonly busy: boolean;
  readonly onSwitch: (routeIds: readonly string[], enabled: boolean) => void;
}

export function SwitchFound({ routeIds, busy, onSwitch }: SwitchFoundProps): JSX.Element {
  const root = useRef<HTMLDivElement>(null);
  // A filter for "off" finds nothing more once all are on: the button that had the focus goes with them. The cleanup of
  // a layout effect still sees it; that of other effects comes after it is gone.
  useLayoutEffect(
    () => () => {
      const hasFocus = root.current?.contains(document.activeElement) === true;
      if (hasFocus) focusSoon(() => document.querySelector('.route-tools'));
    },
    [],
  );
  const count = countOfRoutes(routeIds.length);
  return (
    <div class="row" role="group" aria-label="Routes found" ref={root}>
      <Button busy={busy} onClick={() => onSwitch(routeIds, false)}>
        Switch off {count}
      </Button>
      <Button busy={busy} onClick={() => onSwitch(routeIds, true)}>
        Switch on {count}
      </Button>
    </div>
  );
}
