import { testStories } from "./random-stories";

testStories("dynamic");
