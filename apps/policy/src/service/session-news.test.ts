import { createSessionNews } from './session-news';

test('news waits for the answers before it, and for no others', () => {
  const news = createSessionNews();
  const answers = (count: number): void => {
    for (let i = 0; i < count; i += 1) news.queued();
  };
  answers(2);
  news.adopt('p.1');
  news.reopened(7, 2);
  // Decided before the news, in the same turn.
  answers(1);
  news.endTurn();
  answers(5);
  news.adopt('p.2');
  news.endTurn();
  expect(news.with(2)).toEqual({ reopenedShards: [], reopenedEpochs: [] });
  expect(news.with(2)).toEqual({
    reopenedShards: [7],
    reopenedEpochs: [2],
    adoptFloats: ['p.1'],
  });
  expect(news.with(3)).toEqual({ reopenedShards: [], reopenedEpochs: [] });
  expect(news.with(1)).toMatchObject({ adoptFloats: ['p.2'] });
});
