import { testWholeMatrix } from "./kills";

testWholeMatrix("npm package");
