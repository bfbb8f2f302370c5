/** New rules that were left before they were made, above the list that does not have them: each is gone on with, or dropped. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../parts/controls.tsx';
import { dropUnsaved, unsavedNewRules } from '../common/drafts.ts';

export function UnsavedNewRules(): JSX.Element {
  const [unsaved, setUnsaved] = useState(unsavedNewRules);
  return (
    <>
      {unsaved.map((rule) => (
        <p key={rule.draftName} class="bar" role="status">
          Typed, and not saved: {rule.what}.
          <a href={rule.href} aria-label={`Go on with the ${rule.what}`}>
            Go on
          </a>
          <Button
            label={`Drop the ${rule.what}`}
            onClick={() => {
              dropUnsaved(rule);
              setUnsaved(unsavedNewRules());
            }}
          >
            Drop
          </Button>
        </p>
      ))}
    </>
  );
}
