import { realRedis } from '.';
import { restoreDrill } from './restore/drill';
import { differences } from './restore/expected';

// The short form of `npm run restore-drill`.

(realRedis() ? test : test.skip)(
  'after PostgreSQL was restored and Redis emptied, what is lost is what the page says',
  async () => {
    const drill = await restoreDrill({
      redis: 'emptied',
      requests: 4,
      epochs: 1,
      say: () => undefined,
    });
    expect(drill.served.afterMoment).toBeGreaterThan(0);
    expect(differences(drill)).toEqual([]);
  },
);
