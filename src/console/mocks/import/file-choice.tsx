/** Chooses the files of an import, or takes those that are dropped on it, in a folder too. */
import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Button } from '../../parts/controls.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { droppedFiles } from './dropped-files.ts';
import type { ChosenFile } from './import-source.ts';

interface FileChoiceProps {
  /** Of those that were chosen; empty before. */
  readonly names: readonly string[];
  readonly problem: string | undefined;
  readonly onFiles: (files: readonly ChosenFile[]) => void;
  /** What is below it, where files may be dropped, too. */
  readonly children: ComponentChildren;
}

const NAMES_SHOWN = 5;

export function FileChoice({ names, problem, onFiles, children }: FileChoiceProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null | undefined): void => {
    if (files !== null && files !== undefined && files.length > 0) onFiles([...files]);
  };
  return (
    <div
      class="import stack"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer?.types.includes('Files') === true) void droppedFiles(event.dataTransfer).then(onFiles);
      }}
    >
      <div class={isOver ? 'import-drop over' : 'import-drop'}>
        <p class="row">
          <Button kind={names.length === 0 ? 'primary' : 'plain'} onClick={() => input.current?.click()}>
            {names.length === 0 ? 'Choose a file…' : 'Choose another…'}
          </Button>
          <span>or drop it here, or a folder</span>
        </p>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files of the import"
          accept=".json,.yaml,.yml,.har"
          onChange={(event) => {
            take(event.currentTarget.files);
            // The same file again, after it was mended, is a change too.
            event.currentTarget.value = '';
          }}
        />
        {names.length === 0 ? (
          <p class="hint">
            An OpenAPI document, a HAR, a Postman collection or a file of Switchyard’s own, as JSON or YAML. A document
            of several files: all of them at once.
          </p>
        ) : (
          <p>
            {names.slice(0, NAMES_SHOWN).map((name, index) => (
              <span key={name}>
                {index > 0 && ', '}
                <strong>
                  <SafeLine text={name} max={80} />
                </strong>
              </span>
            ))}
            {names.length > NAMES_SHOWN && ` and ${names.length - NAMES_SHOWN} more`}
          </p>
        )}
        {problem !== undefined && (
          <p class="error" role="alert">
            {problem}
          </p>
        )}
      </div>
      {children}
    </div>
  );
}
