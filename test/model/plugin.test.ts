import { testStories } from "./random-stories";

testStories("plugin");
