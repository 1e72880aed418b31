import { testStories } from "./told";

testStories("plugin");
