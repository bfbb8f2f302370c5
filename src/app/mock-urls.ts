/** The addresses of mocks and sessions, as the API shows them. */
import { mockUrl, type Config } from './config.ts';

/** Ports of mocks. */
interface MockPorts {
  readonly port: number;
  readonly httpsPort: number | undefined;
}

type UrlConfig = Pick<Config, 'mockUrlTemplate' | 'mockDomain'>;

/** A host name's label has so many characters at most. */
const LABEL_CHARS_MAX = 63;

export function mockUrls(
  { mockUrlTemplate, mockDomain }: UrlConfig,
  mockId: string,
  { port, httpsPort }: MockPorts,
): { url: string; httpsUrl?: string } {
  const url = mockUrl(mockUrlTemplate, mockId, port);
  return httpsPort === undefined ? { url } : { url, httpsUrl: mockUrl(httpsTemplate(mockDomain), mockId, httpsPort) };
}

interface SessionUrls {
  /** Null when the template has no label for the mock, or the session's would be too long. */
  readonly hostUrl: string | null;
  readonly pathUrl: string;
  readonly httpsHostUrl?: string;
  readonly httpsPathUrl?: string;
}

/** The addresses of a session of a mock: as a label of the host name, and as a path of a host that names no mock. */
export function sessionUrls(
  { mockUrlTemplate, mockDomain }: UrlConfig,
  mockId: string,
  sessionId: string,
  { port, httpsPort }: MockPorts,
): SessionUrls {
  const plain = urlsBy(mockUrlTemplate, mockId, sessionId, port, '--');
  if (httpsPort === undefined) return plain;
  // All sessions of a mock have one certificate.
  const { hostUrl, pathUrl } = urlsBy(httpsTemplate(mockDomain), mockId, sessionId, httpsPort, '.');
  return { ...plain, ...(hostUrl !== null && { httpsHostUrl: hostUrl }), httpsPathUrl: pathUrl };
}

function httpsTemplate(mockDomain: string): string {
  return `https://<mock_id>.${mockDomain}:<port>`;
}

function urlsBy(
  template: string,
  mockId: string,
  sessionId: string,
  port: number,
  separator: '--' | '.',
): Pick<SessionUrls, 'hostUrl' | 'pathUrl'> {
  const label = `${sessionId}${separator}${mockId}`;
  const ofHost = template.replace(/^(https?:\/\/)<mock_id>\./, '$1');
  const hasLabel = ofHost !== template;
  const base = mockUrl(ofHost, mockId, port).replace(/\/+$/, '');
  return {
    hostUrl: hasLabel && label.length <= LABEL_CHARS_MAX ? mockUrl(template, label, port) : null,
    pathUrl: hasLabel ? `${base}/__mock/${mockId}/__session/${sessionId}` : `${base}/__session/${sessionId}`,
  };
}
