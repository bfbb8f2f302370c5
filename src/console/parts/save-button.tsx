/** Loads a text, and saves it as a file. */
import { useWrite } from '../state/write.ts';
import { bytesOf, download } from './body-text.ts';
import { Button } from './controls.tsx';
import { FailureBox } from './states.tsx';

interface SaveProps {
  readonly name: string;
  readonly load: () => Promise<string>;
  readonly children: string;
}

export function SaveButton({ name, load, children }: SaveProps): JSX.Element {
  const write = useWrite();
  const save = async (): Promise<void> => {
    const text = await write.run(load);
    if (text !== undefined) download(bytesOf(text), name);
  };
  return (
    <>
      <Button busy={write.isRunning.value} onClick={() => void save()}>
        {children}
      </Button>
      <FailureBox failure={write.failure.value} what="Saving the file" />
    </>
  );
}
