/** Chosen files as they are sent. */
import { expect, test } from 'vitest';
import { readFiles, type ChosenFile } from '../../../../src/console/mocks/import/import-source.ts';

const file = (name: string, bytes: Uint8Array<ArrayBuffer>): ChosenFile => ({
  name,
  size: bytes.length,
  arrayBuffer: () => Promise.resolve(bytes.buffer),
});
const text = (content: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(content);

test('one file is sent as it is, byte for byte', async () => {
  const bytes = new Uint8Array([0xff, 0xfe, 0x00]);
  expect(await readFiles([file('a.json', bytes)])).toEqual({ names: ['a.json'], fileName: 'a.json', source: bytes });
});

test('several are a bundle; what is no text is base64', async () => {
  const read = await readFiles([file('a.yaml', text('a: ü')), file('b', new Uint8Array([0xff, 0x00]))]);
  expect(read).toEqual({
    names: ['a.yaml', 'b'],
    fileName: '',
    source: {
      files: [
        { path: 'a.yaml', text: 'a: ü' },
        { path: 'b', base64: '/wA=' },
      ],
    },
  });
});

test('what is too large is not read, and what cannot be read is named', async () => {
  const unread = { name: 'large', size: 32_000_001, arrayBuffer: () => Promise.reject(new Error('was read')) };
  expect(await readFiles([unread])).toEqual({ problem: '32.0 MB is too large: an import is limited to 32 MB.' });
  expect(await readFiles([{ ...unread, name: 'folder', size: 0 }])).toMatchObject({
    problem: expect.stringContaining('folder cannot be read'),
  });
});

test('the files of a folder have its name', async () => {
  const files = [file('a.json', text('{}')), file('b.json', text('{}'))];
  expect(await readFiles(files, 'stubs')).toMatchObject({ fileName: 'stubs' });
});
