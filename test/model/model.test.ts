import { testStories } from "./told";

testStories("dynamic");
