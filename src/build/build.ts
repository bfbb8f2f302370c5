/**
 * `npm run build`, without the console: writes the programs and the client to `dist`, with the licences of what is in them.
 *
 * The same sources give the same bytes, wherever they are. Types are checked by `npm run types`, not here.
 */
import { resolve } from 'node:path';
import { buildPrograms } from './bundle.ts';

await buildPrograms(resolve(process.argv[2] ?? resolve(import.meta.dirname, '../../dist')));
