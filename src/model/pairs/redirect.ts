import { Type } from '../schema-type.ts';
import { pairObject, source, text, type PairKind } from './pair-kind.ts';

/** Sends matching requests elsewhere: to a URL, a local file, or a file or mock server that the service hosts. */
export const redirect: PairKind = {
  spec: (limits) =>
    pairObject({
      source: source(limits),
      destinationType: Type.Enum(['url', 'map_local', 'mock_or_file_picker']),
      destination: text(limits),
    }),
};
