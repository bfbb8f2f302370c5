/** `switchyard streams`: lists the open streams of a mock or a session, sends events into them, and ends them. */
import { Option, type Command } from 'commander';
import type { PushInput } from '../model/mocks/streams/open-stream.ts';
import { jsonValue, nonEmpty } from './option-values.ts';
import { openCommand, sayAnswer, type OpenOptions } from './open-command.ts';

interface StreamsOptions extends OpenOptions {
  readonly channel?: string;
  readonly events?: PushInput['events'];
  readonly end?: 'close' | 'cut';
}

export function addStreamsCommand(program: Command): void {
  openCommand(
    program,
    'streams',
    'streams',
    'send events to open streams of a mock, or end them; lists them by default',
  )
    .addOption(new Option('--channel <name>', 'only streams of this channel or label').argParser(nonEmpty))
    .addOption(
      new Option('--events <json>', 'events, such as [{"data": "text"}]: JSON, or @ and the name of a file').argParser(
        jsonValue,
      ),
    )
    .addOption(new Option('--end <how>', 'end the streams after the events').choices(['close', 'cut']))
    .action(async (mock: string, { session, channel, events, end, json, ...server }: StreamsOptions) => {
      const { withServer } = await import('./with-server.ts');
      const answer = await withServer<object>(server, async (client) => {
        const streams = client.mocks.streams(mock, session);
        if (events === undefined && end === undefined) return { open: await streams.list() };
        const to = channel === undefined ? {} : { channel };
        return streams.send({
          ...to,
          ...(events === undefined ? {} : { events }),
          ...(end === undefined ? {} : { end }),
        });
      });
      sayAnswer(answer, json);
    });
}
