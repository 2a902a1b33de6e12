import { suggestedRegion } from './suggested-region';

test.each([
  ['https://eu.api.openai.com/v1', 'eu'],
  ['https://bedrock-runtime.us-east-1.amazonaws.com', 'us-east-1'],
  ['https://bedrock-mantle.eu-central-1.api.aws/v1', 'eu-central-1'],
  ['https://europe-west4-aiplatform.googleapis.com', 'europe-west4'],
  ['https://aiplatform.eu.rep.googleapis.com', 'eu'],
  ['https://swedencentral.api.cognitive.microsoft.com', 'swedencentral'],
  ['https://api.openai.com/v1', undefined],
  ['https://aiplatform.googleapis.com', undefined],
  ['https://my-resource.openai.azure.com', undefined],
  ['https://eu.api.openai.com.example.org', undefined],
  ['not a url', undefined],
])('%s suggests %s', (baseUrl, region) => {
  expect(suggestedRegion(baseUrl)).toBe(region);
});
