/** Where clouds give secrets to every machine that asks: no option allows them. The last of IPv4 is a public address. */
export const METADATA_ADDRESSES = [
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd20:ce::254',
] as const;
