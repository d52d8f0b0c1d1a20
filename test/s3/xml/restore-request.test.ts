import { RestoreObjectCommand } from '@aws-sdk/client-s3';
import { expect } from 'chai';
import { parseRestoreRequest } from '../../../src/s3/xml/restore-request.js';
import { expectS3Error } from '../support.js';
import { SdkExchange } from './sdk-exchange.js';

const parse = (inner: string) =>
  parseRestoreRequest(Buffer.from(`<RestoreRequest>${inner}</RestoreRequest>`));

const ACCEPTED: readonly (readonly [inner: string, days: number])[] = [
  ['<Days>1</Days>', 1],
  ['\n <Days> 36500 </Days>\n', 36_500],
  ['<Days>3</Days><GlacierJobParameters><Tier>Standard</Tier></GlacierJobParameters>', 3],
  ['<GlacierJobParameters><Tier>Bulk</Tier></GlacierJobParameters><Days>3</Days>', 3],
  ['<Days>3</Days><Tier>Expedited</Tier><Description>why</Description>', 3],
];

const REFUSED: readonly (readonly [inner: string, code: string])[] = [
  ['', 'MalformedXML'],
  ['<Days/>', 'MalformedXML'],
  ['<Days>x</Days>', 'MalformedXML'],
  ['<Days>1.5</Days>', 'MalformedXML'],
  ['<Days>2147483648</Days>', 'MalformedXML'],
  ['<Days>1</Days><Days>1</Days>', 'MalformedXML'],
  ['<Days>1</Days><Other/>', 'MalformedXML'],
  ['<Days>1</Days><Tier>Slow</Tier>', 'MalformedXML'],
  ['<Days>1</Days><GlacierJobParameters/>', 'MalformedXML'],
  ['<Days>1</Days><GlacierJobParameters><Tier/></GlacierJobParameters>', 'MalformedXML'],
  ['<Days>1</Days><GlacierJobParameters><X/></GlacierJobParameters>', 'MalformedXML'],
  ['<Days>0</Days>', 'InvalidArgument'],
  ['<Days>-1</Days>', 'InvalidArgument'],
  ['<Days>36501</Days>', 'InvalidArgument'],
  ['<Days>1</Days><Type>SELECT</Type>', 'NotImplemented'],
  ['<Type>SELECT</Type><SelectParameters/><OutputLocation/>', 'NotImplemented'],
  ['<Days>1</Days><OutputLocation/>', 'NotImplemented'],
];

describe('s3 xml: RestoreRequest', () => {
  for (const [inner, days] of ACCEPTED) {
    it(`reads ${JSON.stringify(inner)}`, () => {
      expect(parse(inner)).to.deep.equal({ days });
    });
  }

  for (const [inner, code] of REFUSED) {
    it(`answers ${code} to ${JSON.stringify(inner)}`, () => {
      expectS3Error(() => parse(inner), code);
    });
  }

  it('answers MalformedXML to another root, and to no body', () => {
    for (const body of ['', '<Restore><Days>1</Days></Restore>']) {
      expectS3Error(() => parseRestoreRequest(Buffer.from(body)), 'MalformedXML');
    }
  });

  it('reads what the SDK sends', async () => {
    const exchange = new SdkExchange();
    const RestoreRequest = { Days: 7, GlacierJobParameters: { Tier: 'Bulk' as const } };
    const input = { Bucket: 'b', Key: 'k', RestoreRequest };
    await exchange.client.send(new RestoreObjectCommand(input));
    expect(parseRestoreRequest(exchange.body)).to.deep.equal({ days: 7 });
  });
});
